// Begins each pair at its top: scrolls there, moves the focus to its heading, and says how far one is.
//
// The judged pair's button is gone by then, and with it the focus; the scroll position would survive.

const CHOICES = ".st-key-judging .st-key-choices";
const UNREAD = ".st-key-unread";
const BY_KEY = { 1: "left", 0: "tie", 9: "both_bad", 2: "right" };

const SOONEST = 400; // as the store has it, in milliseconds
const GIVEN_UP = 3000; // a press that was not answered for so long is lost, and may be repeated
const SHOWN = 4000;
const WAITING = 120; // frames

let told = { refuse: () => {} };
let pressed = null; // when a choice was pressed that is being saved; the pair after it may be half drawn
let appeared = 0; // when a small screen began to show the choices
let hiding;

export default function ({ data, parentElement }) {
  const status = parentElement.querySelector("[role=status]");
  pressed = null;
  told = { ...data, refuse: (text) => refuse(parentElement.querySelector("[role=alert]"), text) };
  if (status.dataset.turn === data.turn) return;
  status.dataset.turn = data.turn;
  begin(data, status, WAITING);
}

// On a page that has just been opened, the heading may be put in after this was called.
function begin(data, status, frames) {
  if (status.dataset.turn !== data.turn) return;
  const heading = document.querySelector(".turn h1");
  if (heading === null) {
    if (frames > 0) requestAnimationFrame(() => begin(data, status, frames - 1));
    return;
  }
  heading.focus({ preventScroll: true });
  for (const element of document.querySelectorAll(".pair [tabindex]")) element.scrollTop = 0;
  for (let element = heading; element; element = element.parentElement) element.scrollTop = 0;
  status.textContent = data.said;
}

// What is pressed before one can have read the pair is refused in sight, whoever refuses it: the store says so where it
// is asked, and this where a press would come to nothing, as its pair is about to go, or to the pair after it.
function refuse(alert, text) {
  alert.textContent = text;
  clearTimeout(hiding);
  hiding = setTimeout(() => (alert.textContent = ""), SHOWN);
}

function judge(event) {
  const now = performance.now();
  const twice = event.repeat || (pressed !== null && now - pressed < GIVEN_UP);
  if (!twice && now - appeared >= SOONEST) {
    pressed = now;
    return;
  }
  event.stopImmediatePropagation();
  event.preventDefault();
  told.refuse(twice ? told.twice : told.soon);
}

window.addEventListener(
  "keydown",
  (event) => {
    const choice = BY_KEY[String.fromCharCode(event.keyCode)]; // as Streamlit's shortcuts read keys
    const plain = !event.ctrlKey && !event.altKey && !event.metaKey;
    const there = choice && document.querySelector(`${CHOICES} [class*="st-key-${choice}-"]`);
    if (!there || !plain || event.target.closest?.("input, textarea")) return;
    // A small screen shows the document or the summaries: keys choose when both were shown, as the buttons do.
    if (document.querySelector(UNREAD)?.checkVisibility()) event.stopImmediatePropagation();
    else judge(event);
  },
  true,
);

document.addEventListener("click", (event) => event.target.closest?.(`${CHOICES} button`) && judge(event), true);
document.addEventListener("animationstart", (event) => {
  if (event.animationName === "appear") appeared = performance.now();
});

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
