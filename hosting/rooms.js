// A voter's page and a presenter's: asks for the page again when it has changed, and sends forms without leaving it.

const PAUSE = 2000; // milliseconds before the server is asked again after a failure

const seen = () => document.querySelector("main [data-seen]")?.dataset.seen;

// Puts another page in the place of this one, and keeps the focus on the button that had it.
async function show(answer) {
  const main = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
  if (!main) throw new Error("not a page of ours"); // as a proxy's while the server starts again
  const focused = document.activeElement?.id;
  document.querySelector("main").replaceWith(main);
  if (focused) document.getElementById(focused)?.focus();
}

async function follow() {
  while (seen()) {
    try {
      const version = seen();
      const answer = await fetch(`${location.pathname}?seen=${version}`);
      if (answer.status !== 204 && version === seen()) await show(answer);
    } catch {
      await new Promise((resume) => setTimeout(resume, PAUSE));
    }
  }
}

document.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await show(await fetch(event.target.action, { method: "POST" }));
  } catch {
    document.querySelector("main [role=status]").textContent = "The server does not answer. Press again.";
  }
});

document.addEventListener("keydown", (event) => {
  const key = { ArrowLeft: "previous", PageUp: "previous", ArrowRight: "next", PageDown: "next", ArrowDown: "all" }[event.key];
  const button = key && document.getElementById(key);
  if (!button || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  button.click();
});

follow();
