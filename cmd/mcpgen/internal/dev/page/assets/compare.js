// The same call in every revision, side by side, with the differences.

import {el, fill} from "./dom.js";
import {run} from "./api.js";
import {isObject, parse} from "./json.js";

// compare calls a tool in every revision, newest first, and shows the outcomes.
export function compare(state, tool, text) {
  const box = el("section.card.compare", {"aria-label": `${tool.name} in every revision`, "data-state": "running"});
  const abort = new AbortController();
  const revisions = state.all.revisions.toReversed();
  const after = state.lastWire;
  const columns = el("div.columns"), cells = new Map();
  for (const revision of revisions) {
    const cell = el("div.column", {"data-revision": revision}, el("h4", {}, revision), el("p.quiet", {}, "Running…"));
    cells.set(revision, cell);
    columns.append(cell);
  }
  const cancel = el("button.small", {type: "button", onclick: () => abort.abort()}, "Cancel");
  const title = el("strong", {}, "In every revision"), verdict = el("span.quiet");
  fill(box, el("div.line", {}, title, verdict, el("span.space"), cancel), columns);
  const calls = revisions.map(async revision => {
    const members = {revision: JSON.stringify(revision), name: JSON.stringify(tool.name), arguments: text};
    const last = await run("call", members, {signal: abort.signal}).catch(error => ({error: {message: abort.signal.aborted ? "Cancelled." : error.message}}));
    return {revision, last};
  });
  Promise.all(calls).then(async all => {
    cancel.remove();
    box.dataset.state = "done";
    await state.wireOf(all.map(a => a.revision), after);
    const first = all[0];
    const wires = all.map(({revision, last}) => ({revision, last, ...messages(state, revision, after), outcome: JSON.stringify(last.error ?? last.result, null, 2), says: JSON.stringify(last.error ?? what(last.result))}));
    const other = wires.filter(w => w.says !== wires[0].says).length, bare = wires.every(w => w.outcome === wires[0].outcome);
    verdict.textContent = other > 0 ? ` ${other} of ${wires.length} results differ from that of ${first.revision}` : bare ? " the results are the same" : " the results are the same, apart from metadata";
    for (const w of wires) {
      const failed = Boolean(w.last.error) || w.last.result?.isError === true;
      fill(cells.get(w.revision), el("h4", {}, w.revision),
        el("p.line", {}, el(`strong.${failed ? "bad" : "good"}`, {}, w.last.error ? "Error" : failed ? "The tool failed" : "Done"),
          el("span.quiet", {}, w.last.took === undefined ? "" : `${w.last.took.toLocaleString("en")} ms`)),
        el("h5", {}, "Request"), w === wires[0] ? undefined : summary(w.sent, wires[0].sent), differing(w.sent, wires[0].sent),
        el("h5", {}, "Response"), w === wires[0] ? undefined : summary(w.received ?? w.outcome, wires[0].received ?? wires[0].outcome), differing(w.received ?? w.outcome, wires[0].received ?? wires[0].outcome));
    }
  });
  return box;
}

// what returns what a result says: not its metadata, nor that it is complete, which only some revisions say.
function what({_meta, resultType, ...rest}) {
  return resultType === undefined || resultType === "complete" ? rest : {resultType, ...rest};
}

// messages returns the params and the result of the last call in a revision, as they were sent.
function messages(state, revision, after) {
  const found = {};
  for (const m of state.wire) {
    if (m.seq <= after || m.between !== "page" || m.revision !== revision || m.method !== "tools/call") continue;
    try {
      const text = parse(m.text);
      if (m.kind === "request") found.sent = JSON.stringify(text.params, null, 2);
      else if (m.kind === "result" || m.kind === "error") found.received = JSON.stringify(text.result ?? text.error, null, 2);
    } catch { /* it was too long to keep */ }
  }
  return found;
}

const mostDifferences = 12;

// summary lists the members in which a message differs from another.
function summary(text, other) {
  let found;
  try {
    found = differences(parse(other), parse(text), "");
  } catch {
    return undefined; // one of the messages is not in the log
  }
  if (found.length === 0) return el("p.quiet.same", {}, "The same.");
  const rest = found.length - mostDifferences;
  return el("ul.differences", {}, found.slice(0, mostDifferences).map(d => el("li", {}, el("span.sign", {"aria-label": d.word}, d.sign), el("code", {}, d.path))),
    rest > 0 && el("li.quiet", {}, `${rest} more`));
}

// differences returns what is missing, new or different in b, by the paths of members.
function differences(a, b, path) {
  if (!isObject(a) || !isObject(b)) return JSON.stringify(a) === JSON.stringify(b) ? [] : [{sign: "≠", word: "different:", path: path || "all"}];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(k => k !== "progressToken").flatMap(k => {
    const inner = path ? `${path}.${k}` : k;
    if (!Object.hasOwn(b, k)) return [{sign: "−", word: "missing:", path: inner}];
    if (!Object.hasOwn(a, k)) return isObject(b[k]) && Object.keys(b[k]).length === 0 ? [] : [{sign: "+", word: "new:", path: inner}];
    return differences(a[k], b[k], inner);
  });
}

// differing shows the lines of a text, and marks those that another text does not have at that place.
function differing(text, other) {
  if (text === undefined) return el("p.quiet", {}, "not in the log");
  const lines = text.split("\n"), common = lcs(lines, (other ?? "").split("\n"));
  return el("pre.diff", {tabindex: "0"}, lines.map((line, i) => el(common.has(i) ? "span" : "mark", {}, line + "\n")));
}

const mostLines = 400; // lines that are compared; all lines after these count as different

// lcs returns the indexes of lines in a that are in a longest common subsequence of both.
function lcs(a, b) {
  const [n, m] = [Math.min(a.length, mostLines), Math.min(b.length, mostLines)];
  const best = Array.from({length: n + 1}, () => new Uint16Array(m + 1));
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) best[i][j] = bare(a[i]) === bare(b[j]) ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
  }
  const common = new Set();
  for (let i = 0, j = 0; i < n && j < m;) {
    if (bare(a[i]) === bare(b[j])) {
      common.add(i);
      i++;
      j++;
    } else if (best[i + 1][j] >= best[i][j + 1]) i++;
    else j++;
  }
  return common;
}

// bare returns a line without the comma that depends on the next line.
const bare = line => line.replace(/,$/, "");
