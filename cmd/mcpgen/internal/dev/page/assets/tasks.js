// The tasks that pages have begun, as far as they are remembered.

import {clock, count, el, fill, notice} from "./dom.js";
import {run} from "./api.js";
import {failure, toolResult} from "./result.js";

// hasTasks reports whether there may be tasks.
export const hasTasks = state => state.tasks.length > 0 || state.all?.capabilities?.tasks !== undefined || serverChooses(state);

// serverChooses reports whether the server decides which calls become tasks.
export const serverChooses = state => state.all?.capabilities?.extensions?.["io.modelcontextprotocol/tasks"] !== undefined;

const chips = {completed: " good", failed: " bad", input_required: " warn"};

export function tasksView(state) {
  const list = el("div.results"), found = el("p.quiet.found", {role: "status"});
  const node = el("section.logs", {"aria-label": "tasks"}, found, list), cards = new Map();
  const draw = () => {
    found.textContent = state.tasks.length > 0 ? count(state.tasks.length, "task") : serverChooses(state) ? "No call has become a task yet. The server decides which calls do." :
      "No call has become a task yet: choose “as a task” beside the button that calls a tool that supports it.";
    const newest = state.tasks.toReversed();
    for (const t of newest) {
      if (!cards.has(t.key)) cards.set(t.key, card(t));
      cards.get(t.key).update(t);
    }
    const nodes = newest.map(t => cards.get(t.key).node);
    if (nodes.length !== list.children.length || nodes.some((n, i) => n !== list.children[i])) fill(list, nodes);
    for (const key of [...cards.keys()]) if (!state.tasks.some(t => t.key === key)) cards.delete(key);
  };
  return {node, draw, choose: draw};
}

// card shows a task.
function card(task) {
  const key = JSON.stringify(task.key), revision = JSON.stringify(task.revision);
  const chip = el("span.chip"), facts = el("span.quiet"), message = el("p.text.quiet"), result = el("div.results");
  const act = (label, path, then) => {
    const button = el("button.small", {type: "button", onclick: async () => {
      button.disabled = true;
      const last = await run(`task/${path}`, {key, revision}).catch(error => ({error}));
      button.disabled = false;
      then(last);
    }}, label);
    return button;
  };
  const complain = last => { if (last.error) notice(last.error.message); };
  const poll = act("Poll", "poll", complain), cancel = act("Cancel", "cancel", complain);
  const show = act("Result", "result", last => fill(result, last.error ? failure(last.error) : toolResult(last)));
  const node = el("section.card.job", {"aria-label": `${task.tool}, ${task.id}`}, el("div.line", {}, el("strong", {}, task.tool), chip, facts, el("span.space"), poll, cancel, show),
    el("p.quiet", {}, el("code", {}, task.id), ` · begun at ${clock(task.begun)} · ${task.revision}`), message, result);
  const update = t => {
    node.dataset.state = t.ended ? {completed: "done", cancelled: "cancelled"}[t.status] ?? "failed" : "running";
    chip.className = `chip${chips[t.status] ?? ""}`;
    chip.textContent = t.status.replaceAll("_", " ");
    facts.textContent = `${count(t.polls, "poll")}, last heard of at ${clock(t.news)}`;
    message.textContent = t.message ?? "";
    message.hidden = !t.message;
    poll.hidden = cancel.hidden = t.ended === true;
    show.hidden = !t.ended;
  };
  return {node, update};
}
