// JSON as a tree that can be folded.

import {el} from "./dom.js";
import {isNumber} from "./json.js";

const most = 200; // members that are shown of one object or list at first

// tree shows a JSON value. depth is how many levels are open.
export function tree(value, depth = 3) {
  return el("div.tree", {}, node(undefined, value, depth));
}

function node(name, value, depth) {
  const label = name === undefined ? [] : [el("span.key", {}, name), ": "];
  if (value === null || typeof value !== "object" || isNumber(value)) return el("div", {}, label, leaf(value));
  const list = Array.isArray(value), entries = Object.entries(value);
  const [open, close] = list ? "[]" : "{}";
  if (entries.length === 0) return el("div", {}, label, open + close);
  const body = el("div.members");
  const more = from => {
    body.append(...entries.slice(from, from + most).map(([k, v]) => node(list ? undefined : k, v, depth - 1)));
    if (from + most < entries.length) {
      const button = el("button.small", {type: "button", onclick: () => { button.remove(); more(from + most); }},
        `${entries.length - from - most} more`);
      body.append(button);
    }
  };
  const made = {};
  const make = () => { if (!made.done) { made.done = true; more(0); } };
  if (depth > 0) make();
  return el("details", {open: depth > 0, ontoggle: make},
    el("summary", {}, label, open, el("span.quiet", {}, ` ${entries.length} `), close), body);
}

function leaf(value) {
  if (typeof value === "string") return el("span.string", {}, JSON.stringify(value));
  return el(value === null ? "span.null" : isNumber(value) ? "span.number" : `span.${typeof value}`, {}, JSON.stringify(value));
}
