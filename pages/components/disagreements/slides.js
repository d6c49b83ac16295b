// Full screen by a button and by F, and turning by the keys of a presenter's remote control.

const KEYS = { PageDown: "next", " ": "next", PageUp: "previous" };

function toggle() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen();
}

export default function ({ parentElement }) {
  parentElement.querySelector("button").onclick = toggle;
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
