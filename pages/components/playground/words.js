// A text whose words are buttons; each has a bar as high as what a score loses without it. Texts are only ever text content.

export default function ({ data, setStateValue, parentElement }) {
  const place = parentElement.querySelector(".words");
  const had = place.contains(parentElement.activeElement ?? null) ? parentElement.activeElement.dataset.word : null;
  place.setAttribute("aria-label", data.label);
  place.replaceChildren();
  let open = null; // the word in the order of the Tab key: the others are reached by the arrow keys
  for (const part of data.parts) {
    if (part.word === null) {
      place.append(part.text);
      continue;
    }
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = part.text;
    button.title = part.says;
    button.dataset.word = part.word;
    button.tabIndex = -1;
    button.setAttribute("aria-pressed", String(part.word === data.chosen));
    button.setAttribute("aria-description", part.says);
    button.style.setProperty("--loss", part.loss);
    button.classList.toggle("gain", part.gain);
    button.addEventListener("click", () => setStateValue("chosen", part.word));
    if (open === null || part.word === data.chosen) open = button;
    place.append(button);
  }
  if (open) open.tabIndex = 0;
  if (had !== null) place.querySelector(`[data-word="${had}"]`)?.focus();
  place.onkeydown = (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const all = [...place.querySelectorAll("button")];
    const from = all.indexOf(parentElement.activeElement);
    if (!step || from < 0) return;
    event.preventDefault();
    const next = all[Math.min(all.length - 1, Math.max(0, from + step))];
    for (const each of all) each.tabIndex = each === next ? 0 : -1;
    next.focus();
  };
}
