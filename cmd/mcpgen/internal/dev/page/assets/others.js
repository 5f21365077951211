// Resources, resource templates and prompts.

import {clock, el, fill, notice, unique} from "./dom.js";
import {text as textControl} from "./form.js";
import {run} from "./api.js";
import {contents, job, promptResult, whole} from "./result.js";
import {shown} from "./json.js";
import {tree} from "./tree.js";
import {master} from "./list.js";

const mostJobs = 10;

export function resourcesView(state) {
  const kept = new Map(), updates = new Map();
  const view = master("resource", () => [
    ...state.all.resources.map(r => ({key: r.uri, href: link(r.uri), name: r.title ?? r.name, about: r.uri, group: "Resources",
      mark: state.subscribed.has(r.uri) ? "subscribed" : state.news.get(`resources/${r.uri}`)})),
    ...state.all.templates.map(t => ({key: t.uriTemplate, href: link(t.uriTemplate), name: t.title ?? t.name, about: t.uriTemplate, group: "Templates",
      mark: state.news.get(`templates/${t.uriTemplate}`)})),
  ], key => {
    if (key === undefined) return el("p.quiet.pick", {}, state.all.resources.length + state.all.templates.length > 0 ? "Choose a resource." : "The server has no resources.");
    const template = state.all.templates.find(t => t.uriTemplate === key);
    const thing = template ?? state.all.resources.find(r => r.uri === key) ?? {uri: key, name: key};
    const text = JSON.stringify(thing);
    if (kept.get(key)?.text === text) return kept.get(key).node;
    const next = template ? templateDetail(state, template, kept.get(key)) : resourceDetail(state, thing, updates);
    kept.set(key, {...next, text});
    return next.node;
  });
  // updated shows that a resource has changed, and reads the resource again.
  view.updated = ({uri, at}) => {
    updates.get(uri)?.(at);
  };
  return view;
}

const link = uri => `#/resources/${encodeURIComponent(uri)}`;
const back = (what, href) => el("a.back", {href}, `‹ All ${what}`);

const readResult = last => [(last.result.contents ?? []).map(contents), whole(last.result)];

function begin(results, node) {
  results.prepend(node);
  while (results.children.length > mostJobs) results.lastChild.remove();
}

function resourceDetail(state, r, updates) {
  const results = el("div.results", {"aria-live": "polite"}), updated = el("p.quiet.updated", {role: "status"});
  const read = () => begin(results, job(r.uri, "read", {revision: JSON.stringify(state.revision), uri: JSON.stringify(r.uri)}, readResult).node);
  const subscribe = el("button", {type: "button", "aria-pressed": String(state.subscribed.has(r.uri)), onclick: async () => {
    const on = !state.subscribed.has(r.uri);
    subscribe.disabled = true;
    const last = await run("subscribe", {revision: JSON.stringify(state.revision), uri: JSON.stringify(r.uri), on: String(on)}).catch(error => ({error}));
    subscribe.disabled = false;
    if (last.error) {
      notice(last.error.message);
      return;
    }
    if (on) state.subscribed.add(r.uri);
    else state.subscribed.delete(r.uri);
    subscribe.setAttribute("aria-pressed", String(on));
    subscribe.textContent = on ? "Subscribed: unsubscribe" : "Subscribe";
  }}, state.subscribed.has(r.uri) ? "Subscribed: unsubscribe" : "Subscribe");
  updates.set(r.uri, at => {
    updated.textContent = `changed at ${clock(at)}`;
    read();
  });
  return {node: el("article", {}, back("resources", "#/resources"),
    el("header.head", {}, el("h2", {}, r.title ?? r.name), el("code.under", {}, r.uri),
      el("p.chips", {}, r.mimeType && el("span.chip", {}, r.mimeType), r.size !== undefined && el("span.chip", {}, `${shown(r.size)} bytes`)),
      r.description && el("p.description", {}, r.description)),
    el("div.buttons", {}, el("button.primary", {type: "button", onclick: read}, "Read"), subscribe, updated), results,
    el("details.schemas", {}, el("summary", {}, "Definition"), tree(r, 2)))};
}

// templateDetail makes the page of a template. It keeps what was typed for the previous definition, and the results.
function templateDetail(state, t, old) {
  const results = old?.results ?? el("div.results", {"aria-live": "polite"});
  const names = [...t.uriTemplate.matchAll(/\{[+#./;?&]?([^}]+)\}/g)].flatMap(m => m[1].split(",")).map(n => n.replace(/[*]$|:\d+$/, ""));
  const inputs = texts(state, names.map(name => ({name, required: true})), {uri: JSON.stringify(t.uriTemplate)}, old?.inputs);
  const read = () => begin(results, job(t.uriTemplate, "read", {revision: JSON.stringify(state.revision), uri: JSON.stringify(t.uriTemplate), arguments: inputs.text()}, readResult).node);
  return {node: el("article", {}, back("resources", "#/resources"),
    el("header.head", {}, el("h2", {}, t.title ?? t.name), el("code.under", {}, t.uriTemplate),
      t.mimeType && el("p.chips", {}, el("span.chip", {}, t.mimeType)), t.description && el("p.description", {}, t.description)),
    el("form", {novalidate: true, onsubmit: event => { event.preventDefault(); read(); }}, inputs.node,
      el("div.buttons", {}, el("button.primary", {type: "submit"}, "Read"))), results,
    el("details.schemas", {}, el("summary", {}, "Definition"), tree(t, 2))), results, inputs};
}

export function promptsView(state) {
  const kept = new Map();
  return master("prompt", () => state.all.prompts.map(p => ({
    key: p.name, href: `#/prompts/${encodeURIComponent(p.name)}`, name: p.title ?? p.name, about: p.description, mark: state.news.get(`prompts/${p.name}`),
  })), name => {
    if (name === undefined) return el("p.quiet.pick", {}, state.all.prompts.length > 0 ? "Choose a prompt." : "The server has no prompts.");
    const p = state.all.prompts.find(p => p.name === name);
    if (!p) return [back("prompts", "#/prompts"), el("p.quiet", {}, `There is no prompt ${name} now.`)];
    const text = JSON.stringify(p);
    const old = kept.get(name);
    if (old?.text !== text) kept.set(name, {...promptDetail(state, p, old), text});
    return kept.get(name).node;
  });
}

// promptDetail makes the page of a prompt. It keeps what was typed for the previous definition, and the results.
function promptDetail(state, p, old) {
  const results = old?.results ?? el("div.results", {"aria-live": "polite"});
  const inputs = texts(state, p.arguments ?? [], {name: JSON.stringify(p.name)}, old?.inputs);
  const get = () => begin(results, job(p.name, "prompt", {revision: JSON.stringify(state.revision), name: JSON.stringify(p.name), arguments: inputs.text()}, promptResult).node);
  return {node: el("article", {}, back("prompts", "#/prompts"),
    el("header.head", {}, el("h2", {}, p.title ?? p.name), p.title && el("code.under", {}, p.name), p.description && el("p.description", {}, p.description)),
    el("form", {novalidate: true, onsubmit: event => { event.preventDefault(); get(); }}, inputs.node,
      el("div.buttons", {}, el("button.primary", {type: "submit"}, "Get"))), results,
    el("details.schemas", {}, el("summary", {}, "Definition"), tree(p, 2))), results, inputs};
}

// texts makes fields for arguments that are strings, with suggestions of the server. ref names the prompt or the template,
// and old has the fields of an earlier definition.
function texts(state, args, ref, old) {
  const completes = state.all.capabilities?.completions !== undefined;
  const fields = args.map(a => {
    const about = a.description && el("p.about", {id: unique("about")}, a.description);
    const c = completes ? suggested(async (value, signal) => {
      const last = await run("complete", {...ref, revision: JSON.stringify(state.revision), argument: JSON.stringify(a.name), value: JSON.stringify(value),
        arguments: text(a.name)}, {signal});
      return last.result?.completion?.values ?? [];
    }) : textControl({}, false);
    if (about) c.input.setAttribute("aria-describedby", about.id);
    if (a.required) c.input.setAttribute("aria-required", "true");
    const typed = old?.typed(a.name);
    if (typed) c.set(typed);
    return {name: a.name, control: c, node: el("div.field", {"data-name": a.name}, el("label", {for: c.input.id}, a.title ?? a.name, a.required && el("span.required", {title: "required"}, " *")), c.node, about)};
  });
  const typed = name => fields.find(f => f.name === name)?.control.input.value;
  // text returns the arguments that are filled in, except one.
  const text = without => `{${fields.filter(f => f.name !== without && f.control.input.value !== "").map(f => `${JSON.stringify(f.name)}:${JSON.stringify(f.control.input.value)}`).join(",")}}`;
  return {text, typed, node: el("div.fields", {}, fields.length > 0 ? fields.map(f => f.node) : el("p.quiet", {}, "No arguments."))};
}

// suggested edits a text of one line, with suggestions. It becomes a text of several lines when lines are pasted.
function suggested(suggest) {
  const list = el("datalist", {id: unique("suggestions")}), self = {};
  let timer, abort;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      abort?.abort();
      abort = new AbortController();
      const values = await suggest(self.input.value, abort.signal).catch(() => []);
      fill(list, values.map(v => el("option", {value: v})));
    }, 150);
  };
  const input = el("input", {id: unique("argument"), type: "text", autocomplete: "off", list: list.id, oninput: soon, onfocus: soon, onpaste: event => {
    const pasted = event.clipboardData.getData("text");
    if (!pasted.includes("\n")) return;
    event.preventDefault();
    self.set(input.value.slice(0, input.selectionStart) + pasted + input.value.slice(input.selectionEnd));
    self.input.focus();
  }});
  const set = value => {
    if (!value.includes("\n")) {
      self.input.value = value;
      return;
    }
    const lines = textControl({}, false);
    for (const name of ["id", "aria-describedby", "aria-required"]) if (input.hasAttribute(name)) lines.input.setAttribute(name, input.getAttribute(name));
    lines.set(value);
    self.input.replaceWith(lines.input);
    Object.assign(self, lines);
  };
  return Object.assign(self, {input, node: [input, list], set});
}
