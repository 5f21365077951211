// What the server is, what its definitions cost, and how clients reach it.

import {copyButton, count, el, fill} from "./dom.js";
import {snippets} from "./copy.js";
import {tree} from "./tree.js";

export function overviewView(state) {
  const node = el("div.overview");
  const draw = () => fill(node, el("div.stack", {}, about(state), budget(state)), connect(state));
  return {node, draw, choose: draw};
}

function about(state) {
  const d = state.all, info = d.info ?? {}, s = state.build;
  const facts = [
    ["Version", info.version], ["Speaks", d.build && `revision ${d.build}`],
    ["Offers", [count(d.tools.length, "tool"), count(d.resources.length, "resource"), count(d.templates.length, "template"), count(d.prompts.length, "prompt")].join(", ")],
    ["Last build", s?.summary], ["Endpoint", el("code", {}, d.endpoint)],
  ];
  const breaks = /^callers break(.*)/s.exec(s?.verdict);
  const verdict = s?.verdict ? el(`p.verdict.${breaks ? "bad" : "good"}`, {}, breaks ? "✗ Clients" : "✓ Clients", " that use the tools as they are in mcp.lock.json ", breaks ? `break${breaks[1]}` : "keep working") : undefined;
  return el("section.card", {"aria-label": "the server"}, el("h2", {}, info.title ?? info.name ?? "A server without a name"), verdict,
    el("dl.facts", {}, facts.filter(([, v]) => v).map(([k, v]) => el("div", {}, el("dt", {}, k), el("dd", {}, v)))),
    d.instructions && el("details", {open: true}, el("summary", {}, "Instructions"), el("p.description", {}, d.instructions)),
    d.capabilities && el("details", {}, el("summary", {}, "Capabilities"), tree(d.capabilities)));
}

function budget(state) {
  const costs = state.all.costs.toSorted((a, b) => b.bytes - a.bytes), total = costs.reduce((sum, c) => sum + c.tokens, 0);
  if (costs.length === 0) return undefined;
  const bytes = costs.reduce((sum, c) => sum + c.bytes, 0), first = 10;
  const row = c => el("tr", {}, el("th", {scope: "row"}, el("a", {href: `#/tools/${encodeURIComponent(c.name)}`}, c.name)),
    el("td", {}, el("meter", {min: "0", max: String(costs[0].tokens), value: c.tokens, "aria-hidden": "true"})), el("td.number", {}, c.tokens.toLocaleString("en")));
  const body = el("tbody", {}, costs.slice(0, first).map(row));
  const more = costs.length > first && el("button.small", {type: "button", onclick: () => { body.append(...costs.slice(first).map(row)); more.remove(); }}, `${costs.length - first} more`);
  return el("section.card", {"aria-label": "token budget"}, el("h2", {}, `≈ ${total.toLocaleString("en")} tokens`),
    el("p.quiet", {}, `What a model reads of ${count(costs.length, "tool")}: ${count(bytes, "byte")}, four to a token.`),
    el("table.budget", {}, el("thead", {}, el("tr", {}, el("th", {scope: "col"}, "Tool"), el("th", {scope: "col"}, el("span.hidden", {}, "Share")), el("th.number", {scope: "col"}, "Tokens"))), body), more);
}

function connect(state) {
  const name = (state.all.info?.name ?? "dev").replace(/[^\w-]+/g, "-");
  return el("section.card", {"aria-label": "clients"}, el("h2", {}, "Connect a client"), el("p.quiet", {}, "The address stays the same from build to build."),
    snippets(name, state.all.endpoint).map(([client, place, text], i) => el("details.snippet", {open: i === 0, name: "client"}, el("summary", {}, el("strong", {}, client), " ", el("code.quiet", {}, place)),
      el("div.line", {}, el("pre.text", {tabindex: "0"}, text), copyButton("Copy", () => text)))));
}
