// Full screen by a button and by F, turning by the keys of a presenter's remote control, and what phones say of the slides.

const KEYS = { PageDown: "next", " ": "next", PageUp: "previous" };
const PAUSE = 2000; // milliseconds before the server is asked again after a failure

let room = {}; // the slide's room, its example, and the version of it that is on the screen
let asking = false;

function toggle() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen();
}

// Asks the room for turns and votes, one request after the other, while slides are shown.
async function follow() {
  asking = true;
  while (room.remote) {
    const { remote, example } = room;
    const note = localStorage.getItem(`relevance-note:${example}`) ?? "";
    const query = new URLSearchParams({ seen: room.seen ?? 0, example });
    try {
      const answer = await fetch(`${remote}/slides?${query}`, { method: "POST", body: note });
      if (!answer.ok) break;
      const { seen, turn, votes } = await answer.json();
      room.seen = seen;
      for (const counted of document.querySelectorAll(".presented.slide [data-votes]"))
        counted.textContent = votes[counted.dataset.votes];
      if (turn && room.remote) document.querySelector(`.st-key-${turn} button`)?.click();
    } catch {
      await new Promise((resume) => setTimeout(resume, PAUSE));
    }
  }
  asking = false;
}

export default function ({ parentElement, data }) {
  parentElement.querySelector("button").onclick = toggle;
  room = { ...room, ...data };
  if (!asking) follow();
  return () => (room = {});
}

window.addEventListener("keydown", (event) => {
  const plain = !event.ctrlKey && !event.altKey && !event.metaKey && !event.repeat;
  if (!plain || !document.querySelector(".presented.slide") || event.target.closest?.("input, textarea")) return;
  if (event.key === "f" || event.key === "F") toggle();
  const turn = document.querySelector(`.st-key-${KEYS[event.key]} button`);
  if (!turn || (event.key === " " && event.target.closest?.("button"))) return;
  event.preventDefault();
  turn.click();
});
