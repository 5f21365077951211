// A host of MCP Apps: it shows the page of a tool in a sandbox of another origin, and does what the page may ask for. The page
// is a stranger: its messages are bounded, and nothing that it says becomes markup.

import {el, fill} from "./dom.js";
import {run} from "./api.js";

const mostHeight = 1200;     // pixels
const mostBytes = 1 << 20;   // of a message
const mostMessages = 200;    // in a second
const mostCalls = 16;        // that wait for the server
const teardownTime = 1000;   // milliseconds in which the page may end what it does
const version = "2026-01-26"; // of the extension
const hostName = "mcpgen dev";

// pageOf returns the URI of a tool's page, if it has one.
export function pageOf(tool) {
  const uri = tool._meta?.ui?.resourceUri ?? tool._meta?.["ui/resourceUri"];
  return typeof uri === "string" && uri.startsWith("ui://") ? uri : undefined;
}

// Who may call a tool: by default the model, and pages.
const visible = (tool, to) => !Array.isArray(tool._meta?.ui?.visibility) || tool._meta.ui.visibility.includes(to);
export const onlyForPages = tool => !visible(tool, "model");

// plain returns a value without the numbers that only our JSON has.
const plain = value => JSON.parse(JSON.stringify(value));

// app shows the page of a tool for a call, with the JSON text of its arguments and the promise of its last line.
export function app(state, tool, args, done) {
  const revision = JSON.stringify(state.revision), pages = `the page of ${tool.name}`;
  const said = el("p.quiet", {role: "status"}, "The page is loading…"), asked = el("div"), place = el("div.app"), notes = el("ul.notes");
  const close = el("button.small", {type: "button", onclick: () => end("closed")}, "Close the page");
  const node = el("section.card.host", {"aria-label": pages}, el("div.line", {}, el("strong", {}, "Page"), said, el("span.space"), close), place, asked, notes);
  let frame, origin, opened, begun = false, ended = false;
  let waiting = 0, second = 0, messages = 0, round = 0, teardown;

  const post = message => frame?.contentWindow?.postMessage({jsonrpc: "2.0", ...message}, origin);
  const notify = (method, params) => post({method, params});
  const note = text => {
    notes.append(el("li", {}, text));
    while (notes.children.length > 20) notes.firstChild.remove();
  };

  // end removes the page; it is asked to end first, if it has begun.
  async function end(why) {
    if (ended) return;
    ended = true;
    if (begun && frame?.contentWindow) {
      await new Promise(over => {
        teardown = over;
        setTimeout(over, teardownTime);
        post({id: "teardown", method: "ui/resource-teardown", params: {reason: why}});
      });
    }
    removeEventListener("message", hear);
    fill(place);
    fill(asked);
    close.remove();
    said.textContent = `The page is gone: ${why}.`;
  }

  // Where the frame is put into the document again, as by a change of tabs, the page begins anew.
  function start() {
    begun = false;
    round++;
    notify("ui/notifications/sandbox-resource-ready", {html: opened.html, allow: opened.allow});
  }

  async function initialized() {
    if (begun) return;
    begun = true;
    const mine = round;
    said.textContent = "";
    notify("ui/notifications/tool-input", {arguments: JSON.parse(args)});
    const last = await done;
    if (mine !== round || ended) return;
    if (last.cancelled) notify("ui/notifications/tool-cancelled", {reason: "the call was cancelled"});
    else if (last.error) notify("ui/notifications/tool-result", {content: [{type: "text", text: last.error.message}], isError: true});
    else notify("ui/notifications/tool-result", plain(last.result));
  }

  // forward makes a request of the server for the page.
  async function forward(path, members) {
    if (waiting >= mostCalls) throw refused(`want at most ${mostCalls} requests at a time`);
    waiting++;
    try {
      const last = await run(path, {revision, ...members});
      if (last.error) throw last.error;
      return plain(last.result);
    } finally {
      waiting--;
    }
  }

  // ask asks the person whether the page may do something.
  const ask = (question, yes) => new Promise(say => {
    const answer = ok => () => {
      fill(asked);
      say(ok);
    };
    asked.firstChild?.querySelector("button:last-child").click(); // one question at a time
    fill(asked, el("div.sure", {role: "group", "aria-label": question}, el("p", {}, question),
      el("div.buttons", {}, el("button.primary", {type: "button", onclick: answer(true)}, yes), el("button", {type: "button", onclick: answer(false)}, "Do not"))));
  });

  const handlers = {
    ping: () => ({}),
    "ui/initialize": () => ({
      protocolVersion: version, hostInfo: {name: hostName, version: "1"},
      hostCapabilities: {openLinks: {}, serverTools: {}, serverResources: {}, logging: {}, message: {text: {}}, updateModelContext: {text: {}, structuredContent: {}}},
      hostContext: {
        toolInfo: {tool: plain(tool)}, theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
        displayMode: "inline", availableDisplayModes: ["inline"], containerDimensions: {width: place.clientWidth, maxHeight: mostHeight},
        locale: navigator.language, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone, userAgent: hostName, platform: "web",
      },
    }),
    "tools/call": params => {
      const called = state.all.tools.find(t => t.name === params?.name);
      if (!called) throw refused(`the server has no tool ${String(params?.name).slice(0, 100)}`);
      if (!visible(called, "app")) throw refused(`the tool ${called.name} is not for pages`);
      note(`called ${called.name}`);
      return forward("call", {name: JSON.stringify(called.name), arguments: JSON.stringify(params.arguments ?? {})});
    },
    "resources/read": params => forward("read", {uri: JSON.stringify(String(params?.uri))}),
    "ui/open-link": async params => {
      const url = URL.parse(String(params?.url));
      if (!url || !/^https?:$/.test(url.protocol)) throw refused("want a URL of https or http");
      if (!await ask(`The page wants to open ${url.href.slice(0, 300)}`, "Open it")) return {isError: true};
      window.open(url.href, "_blank", "noopener,noreferrer");
      return {};
    },
    "ui/message": params => {
      note(`says as the user: ${JSON.stringify(params?.content).slice(0, 500)}`);
      return {};
    },
    "ui/update-model-context": params => {
      note(`tells the model: ${JSON.stringify(params?.structuredContent ?? params?.content).slice(0, 500)}`);
      return {};
    },
    "ui/request-display-mode": () => ({mode: "inline"}),
  };

  const notifications = {
    "ui/notifications/sandbox-proxy-ready": start,
    "ui/notifications/initialized": initialized,
    "ui/notifications/size-changed": ({height} = {}) => {
      if (height > 0) frame.style.height = `${Math.min(height, mostHeight)}px`;
    },
    "notifications/message": params => note(`logs: ${JSON.stringify(params?.data).slice(0, 500)}`),
  };

  async function hear({source, origin: from, data}) {
    if (!frame?.contentWindow || source !== frame.contentWindow || from !== origin) return;
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) [second, messages] = [now, 0];
    if (++messages > mostMessages) return void end(`it sent more than ${mostMessages} messages in a second`);
    let size = 0;
    try {
      size = JSON.stringify(data).length;
    } catch { /* it is no JSON */ }
    if (size > mostBytes) return void end(`it sent a message of more than ${mostBytes} bytes`);
    if (size === 0 || data?.jsonrpc !== "2.0") return;
    const {id, method, params} = data;
    if (method === undefined) {
      if (id === "teardown") teardown?.();
    } else if (id === undefined) {
      if (Object.hasOwn(notifications, method)) notifications[method](params);
    } else if (!ended && (typeof id === "string" || typeof id === "number")) {
      post({id, ...await respond(method, params)});
    }
  }

  async function respond(method, params) {
    if (!Object.hasOwn(handlers, method)) return {error: {code: -32601, message: `this host has no ${String(method).slice(0, 100)}`}};
    try {
      return {result: await handlers[method](params)};
    } catch (error) {
      return {error: {code: typeof error.code === "number" ? error.code : -32000, message: error.message}};
    }
  }

  addEventListener("message", hear);
  run("app", {revision, uri: JSON.stringify(pageOf(tool))}).catch(error => ({error})).then(last => {
    if (ended) return;
    if (last.error) return void end(last.error.message);
    opened = last.result;
    for (const left of opened.left ?? []) note(`not allowed: ${left}`);
    origin = new URL(opened.sandbox).origin;
    frame = el("iframe", {title: pages, sandbox: "allow-scripts allow-same-origin allow-forms", allow: opened.allow, referrerpolicy: "no-referrer", src: opened.sandbox});
    if (opened.border !== false) frame.classList.add("border");
    fill(place, frame);
  });
  return {node, end};
}

// refused is an error of this host.
const refused = message => Object.assign(new Error(message), {code: -32000});
