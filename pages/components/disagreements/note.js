// The presenter's own note on an example, which this browser keeps and the slides send to the presenter's page.

const LONGEST = 4000;

export default function ({ parentElement, data }) {
  const field = parentElement.querySelector("textarea");
  const place = `relevance-note:${data.example}`;
  field.maxLength = LONGEST;
  field.value = localStorage.getItem(place) ?? "";
  field.oninput = () => {
    if (field.value) localStorage.setItem(place, field.value);
    else localStorage.removeItem(place);
  };
}
