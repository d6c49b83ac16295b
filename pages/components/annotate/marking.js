// Marks words: a click or tap on one, a pointer drawn over several, or the keys Space and Shift with an arrow.
//
// The words are on the page already, each with its place in its text; this only presses them and tells which are pressed.

const WORD = ".pair .word";
const line = (globalThis.relevanceMarks ??= { tell: () => {}, turn: null, marks: [], drawing: null });

const textOf = (word) => word.closest("[data-text]");
const wordsOf = (text) => [...text.querySelectorAll(".word")];
const isMarked = (word) => word.getAttribute("aria-pressed") === "true";
const mark = (word, marked) => word.setAttribute("aria-pressed", String(marked));

// Neighbouring words make one range, with what stands between them.
const collect = () => {
  const marks = [];
  for (const text of document.querySelectorAll(".pair [data-text]")) {
    let open = null;
    for (const word of wordsOf(text)) {
      if (!isMarked(word)) open = null;
      else if (open) open[2] = Number(word.dataset.to);
      else marks.push((open = [text.dataset.text, Number(word.dataset.from), Number(word.dataset.to)]));
    }
  }
  return marks;
};

// What is told already is not told again: each message draws the page anew.
const tell = () => {
  const marks = collect();
  if (JSON.stringify(marks) === JSON.stringify(line.marks)) return;
  line.marks = marks;
  line.tell(marks);
};

const reach = (word) => {
  for (const each of wordsOf(textOf(word))) each.tabIndex = each === word ? 0 : -1;
};

// Presses the marked words of a pair that has just come onto the page, or was put there anew.
const show = () => {
  const pair = document.querySelector(".pair[data-turn]");
  if (!pair || pair.dataset.turn !== line.turn || pair.dataset.shown) return;
  pair.dataset.shown = "yes";
  for (const text of pair.querySelectorAll("[data-text]")) {
    const marks = line.marks.filter(([name]) => name === text.dataset.text);
    const words = wordsOf(text);
    for (const word of words) {
      const [from, to] = [Number(word.dataset.from), Number(word.dataset.to)];
      mark(word, marks.some(([, start, end]) => from < end && to > start));
    }
    if (words.length) reach(words[0]);
  }
};

export default function ({ data, setStateValue }) {
  line.tell = (marks) => setStateValue("marks", marks);
  if (line.turn !== data.turn) {
    line.turn = data.turn;
    line.marks = data.marks;
  }
  show();
}

if (!line.listening) {
  line.listening = true;
  new MutationObserver(show).observe(document.body, { childList: true, subtree: true });

  document.addEventListener("pointerdown", (event) => {
    const word = event.button === 0 && event.target.closest?.(WORD);
    if (!word || event.pointerType !== "mouse") return; // a finger that moves scrolls
    event.preventDefault(); // no selection
    line.drawing = { marked: !isMarked(word), from: word };
    mark(word, line.drawing.marked);
    reach(word);
    word.focus({ preventScroll: true });
  });

  document.addEventListener("pointerover", (event) => {
    const word = line.drawing && event.target.closest?.(WORD);
    if (!word || textOf(word) !== textOf(line.drawing.from)) return;
    const words = wordsOf(textOf(word));
    const ends = [words.indexOf(line.drawing.from), words.indexOf(word)].sort((a, b) => a - b);
    for (const each of words.slice(ends[0], ends[1] + 1)) mark(each, line.drawing.marked);
  });

  for (const end of ["pointerup", "pointercancel"]) {
    document.addEventListener(end, () => {
      if (!line.drawing) return;
      line.drawing = null;
      tell();
    });
  }

  // A tap; and what a screen reader presses. A mouse has marked already when it was pressed down.
  document.addEventListener("click", (event) => {
    const word = event.target.closest?.(WORD);
    if (!word || event.pointerType === "mouse") return;
    mark(word, !isMarked(word));
    reach(word);
    tell();
  });

  document.addEventListener("keydown", (event) => {
    const word = event.target.closest?.(WORD);
    if (!word) return;
    const words = wordsOf(textOf(word));
    const forward = getComputedStyle(textOf(word)).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) {
      const next = words[words.indexOf(word) + (forward === "ArrowRight" ? step : -step)];
      event.preventDefault();
      if (!next) return;
      if (event.shiftKey) {
        mark(word, true);
        mark(next, true);
        tell();
      }
      reach(next);
      next.focus();
    } else if (event.key === " " || event.key === "Enter") {
      event.preventDefault();
      event.stopPropagation();
      mark(word, !isMarked(word));
      tell();
    }
  });
}
