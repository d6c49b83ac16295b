// A text field that tells its text as it is typed, not when it is left.
//
// One message is on its way at a time, over all fields: the next one leaves when the page has shown the numbers of the last
// (pulse.js), so that a slow server is told the newest text and not every letter. Nothing from the server is ever written
// into the field while it stands: another text comes with another field.

const line = (globalThis.relevanceLine ??= { sent: 0, seen: 0, waiting: new Set() });
const PATIENCE = 1000; // milliseconds after which an answer is taken for lost

line.told = (seen) => {
  line.seen = seen;
  if (line.seen >= line.sent) line.next();
};

line.next = () => {
  clearTimeout(line.timer);
  line.seen = line.sent;
  const [first] = line.waiting;
  if (first) {
    line.waiting.delete(first);
    first();
  }
};

// The beginning of a text, and how many characters it has, counted as the server counts them: an emoji's two halves are one.
const first = (text, longest) => {
  if (text.length <= longest) return [text, text.length];
  let [count, end] = [0, 0];
  for (const character of text) {
    count += 1;
    if (count <= longest) end += character.length;
  }
  return [text.slice(0, end), count];
};

export default function ({ data, setStateValue, parentElement }) {
  const root = parentElement;
  let field = root.querySelector(".field");
  root.querySelector("label").textContent = data.label;
  if (field.dataset.text === undefined) {
    if (data.rows === 1) {
      const single = document.createElement("input");
      single.type = "text";
      single.id = field.id;
      single.className = field.className;
      field.replaceWith(single);
      field = single;
    }
    field.dataset.text = "";
    field.value = data.text;
    field.style.setProperty("--rows", data.rows);
    field.tell = () => {
      line.waiting.delete(field.tell);
      line.sent += 1;
      clearTimeout(line.timer);
      line.timer = setTimeout(line.next, PATIENCE);
      field.told = field.value;
      field.send([first(field.value, data.longest)[0], line.sent]);
    };
    field.told = field.value;
    field.addEventListener("input", () => {
      // Nothing is cut away under somebody's hands: the text stays as it is, and what counts of it is said.
      const count = first(field.value, data.longest)[1];
      root.querySelector(".cut").textContent =
        count > data.longest
          ? `Only the first ${data.longest.toLocaleString("en")} of these ${count.toLocaleString("en")} characters ` +
            "count: the rest is not scored, shared or saved."
          : "";
      if (line.seen >= line.sent) field.tell();
      else line.waiting.add(field.tell);
    });
    // What is pressed next must find the whole text.
    field.addEventListener("blur", () => {
      if (field.told !== field.value) field.tell();
    });
  }
  field.send = (value) => setStateValue("typed", value);
  return () => line.waiting.delete(field.tell);
}
