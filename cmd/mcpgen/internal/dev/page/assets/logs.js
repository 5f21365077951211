// Messages and the log.

import {clock, copyButton, count, el, fill} from "./dom.js";
import {pretty} from "./json.js";

const most = 1000; // rows

// rows shows the last of the added rows that pass the filters.
function rows(make, passes) {
  const all = [], list = el("ol.log"), found = el("p.quiet.found", {role: "status"});
  let waiting = false, follows = true; // if not, the person is reading older rows
  const nodes = new Map();
  list.addEventListener("scroll", () => { follows = list.scrollHeight - list.scrollTop - list.clientHeight < 40; });
  const draw = () => {
    waiting = false;
    const top = list.scrollTop;
    const shown = all.filter(passes), wanted = new Set(shown);
    for (const [entry, node] of nodes) {
      if (!wanted.has(entry)) {
        node.remove();
        nodes.delete(entry);
      }
    }
    let last = null;
    for (let i = shown.length - 1; i >= 0; i--) {
      let node = nodes.get(shown[i]);
      if (!node) {
        node = make(shown[i]);
        nodes.set(shown[i], node);
      }
      if (node.nextSibling !== last || node.parentNode !== list) list.insertBefore(node, last);
      last = node;
    }
    found.textContent = shown.length === all.length ? count(all.length, "line") : `${shown.length} of ${count(all.length, "line")}`;
    list.scrollTop = follows ? list.scrollHeight : top;
  };
  const soon = () => {
    if (waiting || !list.isConnected) return;
    waiting = true;
    requestAnimationFrame(draw);
  };
  return {
    list, found, draw, soon, all,
    add: entry => {
      all.push(entry);
      if (all.length > most) all.splice(0, all.length - most);
      soon();
    },
    clear: () => { all.length = 0; draw(); },
  };
}

const labelled = (text, input) => el("label", {}, text, " ", input);

const choose = (values, change) => el("select", {onchange: change}, values.map(([value, text]) => el("option", {value}, text)));

export function wireView() {
  const methods = new Set(), revisions = new Set();
  const words = el("input.search", {type: "search", placeholder: "Search in messages", "aria-label": "Search in messages", oninput: () => log.draw()});
  const method = choose([["", "all"]], () => log.draw()), revision = choose([["", "all"]], () => log.draw());
  const own = el("input", {type: "checkbox", onchange: () => log.draw()});
  const direction = choose([["", "both"], ["sent", "→ to the server"], ["received", "← from the server"]], () => log.draw());
  const log = rows(row, m => (method.value === "" || m.method === method.value) && (revision.value === "" || m.revision === revision.value) &&
    (own.checked || !m.own) && (direction.value === "" || m.sent === (direction.value === "sent")) &&
    (words.value === "" || m.text.toLowerCase().includes(words.value.toLowerCase())));
  const learn = (set, select, value) => {
    if (!value || set.has(value)) return;
    set.add(value);
    const now = select.value;
    fill(select, el("option", {value: ""}, "all"), [...set].sort().map(v => el("option", {value: v}, v)));
    select.value = now;
  };
  const node = el("section.logs", {"aria-label": "messages"}, el("div.filters", {}, words, labelled("method", method), labelled("revision", revision),
    labelled("direction", direction), el("label.check", {title: "what this page and dev send to know what there is, and every call again as it goes from this page to dev"}, own, " the page’s own"),
    el("button.small", {type: "button", onclick: () => log.clear()}, "Clear")), log.found, log.list);
  return {node, draw: log.draw, choose: () => log.draw(), add: m => {
    learn(methods, method, m.method);
    learn(revisions, revision, m.revision);
    log.add(m);
  }};
}

// row shows a message. The text is laid out when the row is opened.
function row(m) {
  const body = el("div");
  return el("li", {}, el("details.entry", {"data-kind": m.kind, ontoggle: event => {
    if (!event.target.open || body.hasChildNodes()) return;
    fill(body, el("div.line", {}, el("span.quiet", {}, [m.between === "page" ? "between this page and dev" : "between dev and the server", m.revision, m.id && `id ${m.id}`].filter(Boolean).join(" · ")),
      el("span.space"), copyButton("Copy", () => m.text)), el("pre.text", {tabindex: "0"}, pretty(m.text)), m.cut && el("p.quiet", {}, "The rest was too long to keep."));
  }}, el("summary", {}, el("time.quiet", {}, clock(m.at)), el("span.arrow", {"aria-label": m.sent ? "to the server" : "from the server"}, m.sent ? "→" : "←"),
    el("span.method", {}, m.method || m.kind), el(`span.chip${m.kind === "error" ? ".bad" : ""}`, {}, m.kind), m.between === "page" && el("span.quiet", {}, "this page"),
    m.took > 0 && el("span.quiet", {}, `${m.took} ms`), el("span.excerpt.quiet", {}, m.text.slice(0, 200))), body));
}

const order = ["debug", "info", "notice", "warn", "warning", "error", "critical", "alert", "emergency"];

export function logView() {
  const words = el("input.search", {type: "search", placeholder: "Search in the log", "aria-label": "Search in the log", oninput: () => log.draw()});
  const level = choose([["", "all"], ["info", "info and above"], ["warn", "warning and above"], ["error", "error and above"]], () => log.draw());
  const log = rows(entry, l => (level.value === "" || l.level === "" || order.indexOf(l.level) >= order.indexOf(level.value)) &&
    (words.value === "" || l.text.toLowerCase().includes(words.value.toLowerCase())));
  const node = el("section.logs", {"aria-label": "log"}, el("div.filters", {}, words, labelled("level", level),
    el("button.small", {type: "button", onclick: () => log.clear()}, "Clear")), log.found, log.list);
  return {node, draw: log.draw, choose: () => log.draw(), add: log.add};
}

function entry(l) {
  const bad = order.indexOf(l.level) >= order.indexOf("error"), warn = l.level.startsWith("warn");
  return el("li.entry", {}, el("time.quiet", {}, clock(l.at)), el("span.chip.source", {}, l.source),
    l.level && el(`span.chip${bad ? ".bad" : warn ? ".warn" : ""}`, {}, l.level), el("span.line-text", {}, l.text, l.cut && " …"));
}
