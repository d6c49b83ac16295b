// Tells the fields that the page has shown what was typed (live_text.js), and asks the server again after a while.

const timers = new WeakMap();

export default function ({ data, setTriggerValue, parentElement }) {
  globalThis.relevanceLine?.told?.(data.seen);
  clearTimeout(timers.get(parentElement));
  if (data.after !== null) {
    timers.set(parentElement, setTimeout(() => setTriggerValue("due", data.turn), data.after));
  }
  return () => clearTimeout(timers.get(parentElement));
}
