// Tools, with forms made from their schemas.

import {copyButton, el, fill, notice} from "./dom.js";
import {form} from "./form.js";
import {job, toolResult} from "./result.js";
import {holds, isObject, parse, pretty} from "./json.js";
import {tree} from "./tree.js";
import {asCommand, asGo, asJSON} from "./copy.js";
import {compare} from "./compare.js";
import {app, onlyForPages, pageOf} from "./host.js";
import {master} from "./list.js";
import {serverChooses} from "./tasks.js";

const mostJobs = 10; // results that are kept for each tool

export function toolsView(state) {
  const kept = new Map(); // by the name of a tool: its definition, what was typed, and its results
  const view = master("tool", () => state.all.tools.map(t => ({
    key: t.name, href: `#/tools/${encodeURIComponent(t.name)}`, name: t.title ?? t.annotations?.title ?? t.name, about: t.description, mark: state.news.get(`tools/${t.name}`),
  })), name => {
    if (name === undefined) return el("p.quiet.pick", {}, state.all.tools.length > 0 ? "Choose a tool." : "The server has no tools.");
    const tool = state.all.tools.find(t => t.name === name);
    if (!tool) return [back(), el("p.quiet", {}, `There is no tool ${name} now.`)];
    const text = JSON.stringify(tool);
    const old = kept.get(name);
    if (old?.text === text) return old.node;
    const next = toolDetail(state, tool, old);
    kept.set(name, {...next, text});
    return next.node;
  });
  return view;
}

const back = () => el("a.back", {href: "#/tools"}, "‹ All tools");

// editorOf makes an editor of the arguments of a tool: a form, or JSON. It keeps what was typed for an earlier schema, as
// far as there is a place for it.
function editorOf(schema, old) {
  const fields = form(schema);
  const json = el("textarea.json", {rows: "8", spellcheck: "false", "aria-label": "arguments as JSON"});
  const wrong = el("p.wrong", {role: "alert", hidden: true});
  const box = el("div", {}, fields.node), mode = {json: false};
  const show = asJSON => {
    mode.json = asJSON;
    toggle.setAttribute("aria-pressed", String(asJSON));
    fill(box, asJSON ? json : fields.node);
  };
  const text = () => {
    if (!mode.json) return fields.text();
    if (!isObject(parse(json.value || "{}"))) throw new Error("want a JSON object");
    return json.value || "{}";
  };
  // sure returns the arguments, or shows what is wrong with them.
  const sure = () => {
    try {
      wrong.hidden = true;
      return text();
    } catch (error) {
      wrong.hidden = false;
      wrong.textContent = `The arguments are not valid: ${error.message}`;
      return undefined;
    }
  };
  // settle puts arguments into the form, and reports whether the form has a place for all of them.
  const settle = now => {
    const value = parse(now);
    fields.set(value);
    return holds(parse(fields.typed().text), value);
  };
  const toggle = el("button.small.toggle", {type: "button", "aria-pressed": "false", onclick: () => {
    const now = sure();
    if (now === undefined) return;
    if (!mode.json) {
      json.value = pretty(now);
      show(true);
    } else if (settle(now)) {
      show(false);
    } else {
      notice("The form does not have a place for everything, so this stays JSON");
    }
  }}, "As JSON");
  if (old?.isJSON()) {
    json.value = old.json();
    show(true);
  } else if (old) {
    const {text: now, wrong: lost} = old.typed();
    if (!settle(now) || lost) notice("The arguments have changed: some of what you typed is gone");
  }
  return {node: box, toggle, wrong, sure, typed: fields.typed, isJSON: () => mode.json, json: () => json.value};
}

// toolDetail makes the page of a tool. It keeps what was typed for the previous definition, and the results.
function toolDetail(state, tool, old) {
  const schema = JSON.stringify(tool.inputSchema);
  const editor = old?.schema === schema ? old.editor : editorOf(tool.inputSchema, old?.editor);
  const results = old?.results ?? el("div.results", {"aria-live": "polite"});
  const task = el("input", {type: "checkbox", checked: old?.task.checked ?? false});
  const start = (node) => {
    results.prepend(node);
    while (results.children.length > mostJobs) results.lastChild.remove();
  };
  const page = old?.page ?? el("div"), shows = old?.shows ?? {}; // the page of the last call
  const call = () => {
    const now = editor.sure();
    if (now === undefined) return;
    const asTask = mayChoose(tool) ? task.checked : mustBeTask(tool) || serverChooses(state);
    shows.page?.end("there is another call");
    shows.page = undefined;
    const {node: result, done} = job(tool.name, "call", {revision: JSON.stringify(state.revision), name: JSON.stringify(tool.name), arguments: now, task: String(asTask)}, toolResult);
    start(result);
    if (pageOf(tool)) {
      shows.page = app(state, tool, now, done);
      fill(page, shows.page.node);
    }
  };
  const callEach = () => {
    const now = editor.sure();
    if (now === undefined) return;
    const each = () => start(compare(state, tool, now));
    if (tool.annotations?.readOnlyHint === true) each();
    else start(sure(`This calls ${tool.name} ${state.all.revisions.length} times, once in each revision, and each call may change something.`, `Call ${state.all.revisions.length} times`, each));
  };
  const copy = make => () => make(tool, editor.sure() ?? "{}", state.all.endpoint);
  const node = el("article.tool", {"data-tool": tool.name}, back(), head(state, tool),
    el("form.call", {novalidate: true, onsubmit: event => { event.preventDefault(); call(); }},
      el("div.line", {}, el("h3", {}, "Arguments"), el("span.space"), editor.toggle), editor.node, editor.wrong,
      el("div.buttons", {}, el("button.primary", {type: "submit"}, "Call"),
        el("button", {type: "button", onclick: callEach}, "Call in every revision"),
        mayChoose(tool) && el("label.check", {}, task, " as a task"), el("span.space"),
        el("span.copies", {role: "group", "aria-label": "copy the call"}, el("span.quiet", {}, "copy as"),
          copyButton("Go", copy(asGo)), copyButton("command", copy(asCommand)), copyButton("JSON", copy((t, now) => asJSON(t, now)))))),
    page, results,
    el("details.schemas", {}, el("summary", {}, "Definition"), tree(tool, 2)));
  return {node, results, page, shows, editor, schema, task};
}

// Whether a call becomes a task is for the caller to say at 2025-11-25, if the tool supports it. Since 2026-07-28 the server
// decides.
const mayChoose = tool => tool.execution?.taskSupport === "optional";
const mustBeTask = tool => tool.execution?.taskSupport === "required";

// sure asks whether to do something.
function sure(question, yes, action) {
  const answer = then => () => {
    node.remove();
    then?.();
  };
  const no = el("button", {type: "button", onclick: answer()}, "Do not call");
  const node = el("section.card.sure", {role: "group", "aria-label": question}, el("p", {}, question),
    el("div.buttons", {}, el("button.primary", {type: "button", onclick: answer(action)}, yes), no));
  requestAnimationFrame(() => no.focus());
  return node;
}

const hints = {readOnlyHint: ["read-only", "writes"], destructiveHint: ["destructive", "not destructive"], idempotentHint: ["idempotent", "not idempotent"], openWorldHint: ["open world", "closed world"]};

function head(state, tool) {
  const cost = state.all.costs.find(c => c.name === tool.name);
  const chips = el("p.chips");
  for (const [name, [yes, no]] of Object.entries(hints)) {
    const value = tool.annotations?.[name];
    if (value !== undefined) chips.append(el("span.chip", {}, value ? yes : no));
  }
  if (onlyForPages(tool)) chips.append(el("span.chip", {title: "a host does not show it to the model"}, "for pages alone"));
  if (pageOf(tool)) chips.append(el("span.chip", {}, "has a page"));
  if (cost) chips.append(el("span.chip.cost", {title: `${cost.bytes} bytes of its definition, four to a token`}, `≈ ${cost.tokens.toLocaleString("en")} tokens`));
  const title = tool.title ?? tool.annotations?.title;
  return el("header.head", {}, el("h2", {}, title ?? tool.name), title && title !== tool.name && el("code.under", {}, tool.name), chips,
    tool.description && el("p.description", {}, tool.description));
}

