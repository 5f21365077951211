// Calls while they run, and their results.

import {add, copyButton, count, el, fill} from "./dom.js";
import {run} from "./api.js";
import {parse, pretty, shown} from "./json.js";
import {tree} from "./tree.js";

// job shows a call: its progress, and then what show makes of the last line. It returns the element and a promise of that line.
export function job(title, path, members, show) {
  const abort = new AbortController(), begun = {};
  const bar = el("progress", {"aria-label": `progress of ${title}`}), message = el("span.message");
  const task = el("p.quiet", {hidden: true});
  const cancel = el("button.small", {type: "button", onclick: () => begun.key ? run("task/cancel", {key: begun.key, revision: members.revision}) : abort.abort()}, "Cancel");
  const box = el("section.card.job", {"aria-label": title, "data-state": "running"},
    el("div.line", {}, el("strong", {}, "Running…"), message, el("span.space"), cancel), bar, task);
  const progress = line => {
    if (line.task) {
      begun.key = JSON.stringify(line.key);
      task.hidden = false;
      fill(task, "runs as the task ", el("code", {}, line.task), ", even without this page: see all ", el("a", {href: "#/tasks"}, "tasks"));
    }
    if (!line.progress) return;
    const {message: text} = line.progress, [done, total] = [line.progress.progress, line.progress.total].map(n => n === undefined ? undefined : Number(shown(n)));
    if (total > 0) {
      bar.max = total;
      bar.value = Math.min(done, total);
    } else {
      bar.removeAttribute("value");
    }
    message.textContent = [text, total > 0 ? `${done} of ${total}` : done].filter(v => v !== undefined && v !== "").join(" · ");
  };
  const done = run(path, members, {progress, signal: abort.signal}).catch(error => ({
    error: {message: abort.signal.aborted ? "Cancelled." : error.message}, cancelled: abort.signal.aborted,
  })).then(last => {
    const failed = Boolean(last.error) || last.result?.isError === true;
    box.dataset.state = last.cancelled ? "cancelled" : failed ? "failed" : "done";
    fill(box, outcome(last, failed), task.hidden ? undefined : task, last.error ? failure(last.error) : show(last));
    return last;
  });
  return {node: box, done, cancel: () => abort.abort()};
}

// outcome makes the heading of a finished call.
function outcome(last, failed) {
  const raw = last.result === undefined ? undefined : JSON.stringify(last.result, null, 2);
  return el("div.line", {},
    el(`strong.${failed ? "bad" : "good"}`, {}, last.cancelled ? "Cancelled" : last.error ? "Error" : failed ? "The tool failed" : "Done"),
    el("span.quiet", {}, [last.took !== undefined && `${last.took.toLocaleString("en")} ms`, last.revision].filter(Boolean).join(" · ")),
    el("span.space"), raw && copyButton("Copy result", () => raw));
}

// failure shows an error.
export function failure(error) {
  return [el("p.text.bad", {}, error.message), error.code !== undefined && el("p.quiet", {}, `code ${error.code}`),
    error.data !== undefined && tree(error.data)];
}

// toolResult shows the result of a tool.
export function toolResult(last) {
  const r = last.result, parts = [];
  if (r.structuredContent !== undefined) {
    parts.push(el("div.line", {}, el("h4", {}, "Structured content"), last.schema && verdict(last.schema)), tree(r.structuredContent));
    if (last.schema?.problem) parts.push(el("p.text.bad", {}, last.schema.problem));
  } else if (last.schema) {
    parts.push(el("div.line", {}, verdict(last.schema)), el("p.text.bad", {}, last.schema.problem));
  }
  const same = r.structuredContent === undefined ? undefined : JSON.stringify(r.structuredContent);
  for (const block of r.content ?? []) parts.push(content(block, same));
  if ((r.content ?? []).length === 0 && r.structuredContent === undefined) parts.push(el("p.quiet", {}, "The result has no content."));
  return [parts, whole(r)];
}

function verdict(schema) {
  return schema.problem ? el("span.chip.bad", {}, "✗ does not match the output schema") : el("span.chip.good", {}, "✓ matches the output schema");
}

// whole shows all of a result.
export function whole(result) {
  return el("details.whole", {}, el("summary", {}, "The whole result"), tree(result, 2));
}

// content shows a content block. A text that repeats the structured content is folded.
export function content(block, same) {
  switch (block.type) {
  case "text":
    if (same !== undefined && isJSON(block.text, same)) {
      return el("details", {}, el("summary", {}, "The same as text"), el("pre.text", {}, block.text));
    }
    return text(block.text);
  case "image": return image(block.data, block.mimeType);
  case "audio": return audio(block.data, block.mimeType);
  case "resource_link":
    return el("div.link", {}, el("a", {href: `#/resources/${encodeURIComponent(block.uri)}`}, block.title ?? block.name ?? block.uri), " ",
      el("code", {}, block.uri), block.description && el("p.about", {}, block.description));
  case "resource": return contents(block.resource);
  }
  return tree(block);
}

// isJSON reports whether a text is the JSON of a value.
function isJSON(text, same) {
  try {
    return JSON.stringify(parse(text)) === same;
  } catch {
    return false;
  }
}

function text(value) {
  const long = value.length > 20000;
  const e = el("pre.text", {}, long ? value.slice(0, 20000) : value);
  if (!long) return e;
  const more = el("button.small", {type: "button", onclick: () => { e.textContent = value; more.remove(); }}, `${count(value.length - 20000, "more character")}`);
  return el("div", {}, e, more);
}

function image(data, type = "") {
  if (!/^image\/[\w.+-]+$/.test(type)) return el("p.bad", {}, `an image of the type ${type}`);
  return el("figure", {}, el("img", {src: `data:${type};base64,${data}`, alt: `image, ${type}`}), el("figcaption.quiet", {}, size(data, type)));
}

function audio(data, type = "") {
  if (!/^audio\/[\w.+-]+$/.test(type)) return el("p.bad", {}, `audio of the type ${type}`);
  return el("figure", {}, el("audio", {controls: true, src: `data:${type};base64,${data}`}), el("figcaption.quiet", {}, size(data, type)));
}

const size = (data, type) => `${type}, ${count(Math.floor(data.length * 3 / 4), "byte")}`;

// contents shows the contents of a resource.
export function contents(c) {
  const type = c.mimeType ?? "";
  let body;
  if (c.text !== undefined) body = text(/json/.test(type) ? pretty(c.text) : c.text);
  else if (type.startsWith("image/")) body = image(c.blob, type);
  else if (type.startsWith("audio/")) body = audio(c.blob, type);
  else body = el("button.small", {type: "button", onclick: () => save(c)}, `Save ${size(c.blob ?? "", type || "bytes")}`);
  return el("div.contents", {}, el("p.quiet", {}, el("code", {}, c.uri), type && ` ${type}`), body);
}

// save makes the browser save bytes to a file.
function save(c) {
  const bytes = Uint8Array.from(atob(c.blob ?? ""), ch => ch.charCodeAt(0));
  const url = URL.createObjectURL(new Blob([bytes], {type: "application/octet-stream"}));
  const link = el("a", {href: url, download: c.uri.split("/").pop() || "resource"});
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

// promptResult shows the messages of a prompt.
export function promptResult(last) {
  const r = last.result;
  return [r.description && el("p.about", {}, r.description), (r.messages ?? []).map(message), whole(r)];
}

// message shows a message of a conversation.
export function message(m) {
  const blocks = Array.isArray(m.content) ? m.content : [m.content];
  return add(el("div.message", {"data-role": m.role}, el("span.role", {}, m.role)), blocks.map(b => content(b)));
}
