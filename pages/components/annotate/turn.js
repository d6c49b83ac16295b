// Begins each pair at its top: scrolls there, moves the focus to its heading, and says how far one is.
//
// The judged pair's button is gone by then, and with it the focus; the scroll position would survive.

export default function ({ data, parentElement }) {
  const said = parentElement.querySelector("p");
  if (said.dataset.turn === data.turn) return;
  said.dataset.turn = data.turn;
  const heading = document.querySelector(".turn h1");
  heading.focus({ preventScroll: true });
  for (const element of document.querySelectorAll(".pair [tabindex]")) element.scrollTop = 0;
  for (let element = heading; element; element = element.parentElement) element.scrollTop = 0;
  said.textContent = data.said;
}

// A small screen shows the document or the summaries: keys choose when both were shown, as the buttons do.
const UNREAD = ".st-key-unread";

window.addEventListener(
  "keydown",
  (event) => {
    if (!document.querySelector(UNREAD)?.checkVisibility()) return;
    const chooses = "012".includes(String.fromCharCode(event.keyCode)); // as Streamlit's shortcuts read keys
    if (chooses && !event.target.closest?.("input, textarea")) event.stopImmediatePropagation();
  },
  true,
);

// The button "Read the summaries" opens their tab, and leaves the focus to it as it goes.
document.addEventListener(
  "click",
  (event) => {
    if (!event.target.closest?.(UNREAD)) return;
    const tab = document.querySelector(".st-key-panel button:last-of-type");
    tab.click();
    tab.focus();
  },
  true,
);

// A reason is typed into its field: the keys 1 and 2 in it would else judge. Escape keeps what was typed.
const POPOVER = "[data-testid=stPopoverBody]";

new MutationObserver((changes) => {
  if (!document.querySelector(".st-key-judging")) return;
  for (const { addedNodes } of changes) {
    for (const node of addedNodes) {
      const body = node.nodeType !== Node.ELEMENT_NODE ? null : node.closest(POPOVER) ?? node.querySelector(POPOVER);
      body?.querySelector("input, textarea")?.focus();
    }
  }
}).observe(document.body, { childList: true, subtree: true });

document.addEventListener(
  "keydown",
  (event) => {
    if (event.key === "Escape" && event.target.closest?.(POPOVER)) event.target.blur();
  },
  true,
);
