// A list beside the thing chosen from it.

import {count, el, fill} from "./dom.js";

// master makes a list of things to choose by links, and a place for the chosen one.
// rows() returns them as {key, href, name, about, mark, group}.
export function master(what, rows, detail) {
  const search = el("input.search", {type: "search", placeholder: `Search ${what}s`, "aria-label": `Search ${what}s`, autocomplete: "off", oninput: () => draw()});
  const items = el("ul.items"), found = el("p.quiet.found", {role: "status"});
  const place = el("div.detail", {});
  const node = el("div.master", {}, el("div.side", {}, search, found, items), place);
  let chosen;
  const draw = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const all = rows(), shown = all.filter(r => words.every(w => `${r.name} ${r.key} ${r.about ?? ""}`.toLowerCase().includes(w)));
    found.textContent = words.length > 0 ? `${shown.length} of ${count(all.length, what)}` : count(all.length, what);
    search.hidden = all.length < 8;
    let group;
    const focused = items.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    fill(items, shown.map(r => [
      r.group !== group && el("li.group", {}, group = r.group),
      el("li", {}, el("a.item", {href: r.href, "data-key": r.key, "aria-current": r.key === chosen ? "true" : undefined},
        el("span.name", {}, r.name, r.mark && el("span.mark", {}, r.mark)), r.about && el("span.about", {}, brief(r.about)))),
    ]));
    if (focused !== undefined) Array.from(items.querySelectorAll(".item")).find(i => i.dataset.key === focused)?.focus(); // the keyboard keeps its place
  };
  return {
    node, draw,
    // choose shows the thing with that key, or none.
    choose: key => {
      chosen = key;
      node.classList.toggle("chosen", key !== undefined);
      draw();
      const next = [detail(key)].flat(), now = place.childNodes;
      if (next.length !== now.length || next.some((n, i) => n !== now[i])) fill(place, next); // so that typing there keeps the focus
    },
  };
}

// brief returns the first paragraph of a text.
export function brief(text) { return text.split("\n\n")[0].replace(/\s+/g, " ").trim(); }
