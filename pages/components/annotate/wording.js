// Tells the browser and screen readers the language of the page and its direction, for as long as it is shown.

export default function ({ data }) {
  const page = document.documentElement;
  page.lang = data.language;
  page.dir = data.direction;
  return () => {
    page.lang = "en";
    page.removeAttribute("dir");
  };
}
