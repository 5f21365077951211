// Requests to mcpgen dev.

import {parse} from "./json.js";

const token = new URLSearchParams(location.search).get("token") ?? "";

// send sends a request. The body is already JSON text, so that numbers stay exact.
async function send(path, body, signal) {
  const headers = {"Mcpgen-Token": token};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  return fetch(path, {method: body === undefined ? "GET" : "POST", headers, body, signal, cache: "no-store"});
}

// lines calls each with every line of a response.
async function lines(response, each) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ;) {
    const {value, done} = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts) if (part !== "") each(parse(part));
  }
}

// definitions returns what the server offers in a revision, or throws an error.
export async function definitions(revision) {
  const response = await send(`api/definitions?revision=${encodeURIComponent(revision)}`);
  if (!response.ok) throw new Error((await response.text()).trim());
  const d = parse(await response.text());
  if (d.error) throw new Error(d.error.message);
  return d;
}

// run makes a call, and returns the last line of the response. Members are JSON texts. progress receives the earlier lines.
export async function run(path, members, {progress = () => {}, signal} = {}) {
  const body = "{" + Object.entries(members).filter(([, text]) => text !== undefined)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",") + "}";
  const response = await send(`api/${path}`, body, signal);
  if (!response.ok) return {error: {message: (await response.text()).trim()}};
  let last;
  await lines(response, line => {
    if (line.result !== undefined || line.error) last = line;
    else progress(line);
  });
  return last ?? {error: {message: "mcpgen dev has ended"}};
}

// answer sends what the person gives for a request for input, and returns what is wrong with it, if anything.
export async function answer(members) {
  const response = await send("api/answer", "{" + Object.entries(members).filter(([, text]) => text !== undefined)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(",") + "}");
  if (response.ok) return undefined;
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return {message: text.trim()};
  }
}

// events calls each with every event, as long as the page is open. It calls lost, with the reason, when the connection is
// lost, and found when it is back.
export async function events(each, lost, found) {
  for (let after = 0, wait = 500; ; wait = Math.min(wait * 2, 5000)) {
    try {
      const response = await send(`api/events?after=${after}`);
      if (response.status === 403) {
        lost("mcpgen dev has restarted: open the address that it prints now");
        return;
      }
      if (!response.ok) throw new Error(await response.text());
      wait = 500;
      found();
      await lines(response, event => {
        after = event.seq;
        each(event);
      });
    } catch { /* there is no connection, or it was lost */ }
    lost("mcpgen dev has ended");
    await new Promise(done => setTimeout(done, wait));
  }
}
