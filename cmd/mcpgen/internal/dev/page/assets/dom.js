// Making elements. Texts from servers become text nodes, never markup.

// el makes an element: el("p.quiet", {id: "x", onclick: f}, "text", child, …). Absent attributes and children are left out.
export function el(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  const e = document.createElement(tag);
  if (classes.length > 0) e.className = classes.join(" ");
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "hidden" || name === "open") e[name] = value;
    else e.setAttribute(name, value === true ? "" : value);
  }
  add(e, ...children);
  return e;
}

// add appends children, which may be texts, elements, lists of them, or absent.
export function add(e, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    e.append(child instanceof Node ? child : String(child));
  }
  return e;
}

// fill replaces the contents of an element.
export function fill(e, ...children) {
  e.replaceChildren();
  return add(e, ...children);
}

let last = 0;

// unique returns an id that no other element has.
export function unique(prefix) { return `${prefix}-${++last}`; }

// clock returns a time of day.
export function clock(at) {
  const d = new Date(at), two = n => String(n).padStart(2, "0");
  return `${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}.${String(d.getMilliseconds()).padStart(3, "0")}`;
}

// count returns a number of things.
export function count(n, word) { return `${n.toLocaleString("en")} ${word}${n === 1 ? "" : "s"}`; }

// notice shows a message for a moment.
export function notice(text) {
  const e = document.getElementById("notice");
  e.textContent = text;
  clearTimeout(notice.timer);
  notice.timer = setTimeout(() => { e.textContent = ""; }, 4000);
}

// copyButton makes a button that copies what text() returns.
export function copyButton(label, text) {
  return el("button.small", {type: "button", onclick: async () => {
    try {
      await navigator.clipboard.writeText(text());
      notice("Copied");
    } catch {
      notice("The browser does not allow the page to copy");
    }
  }}, label);
}
