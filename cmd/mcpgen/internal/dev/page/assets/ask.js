// What the server asks during a call. The person answers, also in place of a model.

import {el, fill, notice, unique} from "./dom.js";
import {answer} from "./api.js";
import {form} from "./form.js";
import {message} from "./result.js";
import {tree} from "./tree.js";

// asksView shows the oldest request for input in a dialog.
export function asksView(dialog) {
  let shown;
  const cancel = () => shown && send({action: "cancel"});
  dialog.addEventListener("cancel", event => {
    event.preventDefault();
    cancel();
  });
  const send = async members => {
    const id = shown.id, wrong = dialog.querySelector(".wrong.all");
    const problem = await answer({ask: JSON.stringify(id), ...Object.fromEntries(Object.entries(members).map(([k, v]) => [k, k === "content" ? v : JSON.stringify(v)]))})
      .catch(error => ({message: error.message}));
    if (!problem || shown?.id !== id) return;
    shown.fields?.problems(problem.fields);
    wrong.hidden = Boolean(problem.fields);
    wrong.textContent = problem.message;
    dialog.querySelector("[aria-invalid=true]")?.focus();
  };
  return asks => {
    const next = asks[0];
    if (!next) {
      if (shown) dialog.close();
      shown = undefined;
      return;
    }
    const more = dialog.querySelector(".more");
    if (shown?.id === next.id) {
      if (more) more.textContent = waiting(asks);
      return;
    }
    shown = {id: next.id};
    const body = {form: formOf, url: urlOf, sample: sampleOf}[next.kind](next, send, shown);
    fill(dialog, el("p.quiet.more", {}, waiting(asks)), body, el("p.wrong.all", {role: "alert", hidden: true}));
    if (!dialog.open) dialog.showModal();
    dialog.querySelector("input, textarea, select, button")?.focus();
  };
}

const waiting = asks => asks.length > 1 ? `${asks.length - 1} more ${asks.length === 2 ? "request for input waits" : "requests for input wait"}` : "";

const buttons = (send, yes, no, ...others) => el("div.buttons", {}, el("button.primary", {type: "submit"}, yes), others,
  el("button", {type: "button", onclick: () => send({action: "decline"})}, no),
  el("button", {type: "button", onclick: () => send({action: "cancel"})}, "Cancel"));

function frame(title, send, submit, ...children) {
  const problem = event => {
    event.preventDefault();
    try {
      submit();
    } catch (error) {
      notice(error.message);
    }
  };
  return el("form", {novalidate: true, onsubmit: problem}, el("h2", {id: "ask-title"}, title), children);
}

function formOf(ask, send, shown) {
  shown.fields = form(ask.params.requestedSchema);
  const message = el("p.description", {}, ask.params.message), accept = () => send({action: "accept", content: shown.fields.text()});
  if (Object.keys(ask.params.requestedSchema?.properties ?? {}).length === 0) return frame("The server asks you to confirm", send, accept, message, buttons(send, "Yes", "No"));
  return frame("The server asks you", send, accept, message, shown.fields.node, buttons(send, "Send", "Decline"));
}

function urlOf(ask, send) {
  const url = ask.params.url;
  let host = "";
  try {
    host = new URL(url).host;
  } catch { /* the whole address is shown */ }
  const open = () => {
    if (/^https?:/.test(url)) window.open(url, "_blank", "noopener,noreferrer");
    send({action: "accept"});
  };
  return frame("The server asks you to visit a page", send, open, el("p.description", {}, ask.params.message),
    el("p", {}, "The page is at ", el("strong", {}, host), ":"), el("p", {}, el("code.address", {}, url)), buttons(send, "Open it", "Decline"));
}

function sampleOf(ask, send) {
  const p = ask.params, text = el("textarea", {id: unique("answer"), rows: "5"});
  const model = el("input", {id: unique("model"), type: "text", value: "person", autocomplete: "off"});
  const known = ["messages", "systemPrompt", "_meta"], rest = Object.fromEntries(Object.entries(p).filter(([name]) => !known.includes(name)));
  return frame("The server asks a model", send, () => send({action: "accept", text: text.value, model: model.value}),
    el("p.quiet", {}, "Answer in its place."), p.systemPrompt && el("div.message", {"data-role": "system"}, el("span.role", {}, "system"), el("pre.text", {}, p.systemPrompt)),
    el("div.conversation", {tabindex: "0", "aria-label": "the conversation"}, (p.messages ?? []).map(message)),
    Object.keys(rest).length > 0 && el("details", {}, el("summary", {}, "Other parameters"), tree(rest)),
    el("div.field", {}, el("label", {for: text.id}, "Answer"), text), el("div.field", {}, el("label", {for: model.id}, "Name of the model"), model),
    buttons(send, "Send", "Reject"));
}

