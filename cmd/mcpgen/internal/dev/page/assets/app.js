// The page of mcpgen dev.

import {el, fill} from "./dom.js";
import {definitions, events} from "./api.js";
import {asksView} from "./ask.js";
import {logView, wireView} from "./logs.js";
import {overviewView} from "./overview.js";
import {promptsView, resourcesView} from "./others.js";
import {hasTasks, tasksView} from "./tasks.js";
import {toolsView} from "./tools.js";

const mostWire = 1000;

const state = {
  all: undefined,        // the definitions
  build: undefined,      // the state of the build
  revision: "",          // the chosen one; empty for the server's
  wire: [],              // the last messages
  lastWire: 0,           // the number of the last message
  news: new Map(),       // what is new or changed since the page was opened
  subscribed: new Set(), // URIs
  waiting: [],           // functions that wait for messages
  tasks: [],             // tasks that pages have begun
  // wireOf waits until the responses to calls in these revisions are in the log, or for a while.
  wireOf: (revisions, after) => new Promise(done => {
    const complete = () => revisions.every(r => state.wire.some(m => m.seq > after && m.revision === r && m.method === "tools/call" && (m.kind === "result" || m.kind === "error")));
    if (complete()) return done();
    const wait = {look: () => complete() && finish()};
    const finish = () => {
      clearTimeout(timer);
      state.waiting = state.waiting.filter(w => w !== wait);
      done();
    };
    const timer = setTimeout(finish, 1500);
    state.waiting.push(wait);
  }),
};

const main = document.getElementById("main"), revision = document.getElementById("revision");
const views = {
  overview: overviewView(state), tools: toolsView(state), resources: resourcesView(state), prompts: promptsView(state), tasks: tasksView(state), wire: wireView(), log: logView(),
};
const titles = {overview: "Overview", tools: "Tools", resources: "Resources", prompts: "Prompts", tasks: "Tasks", wire: "Wire", log: "Log"};
const asks = asksView(document.getElementById("ask"));

// place returns what the address names.
function place() {
  const [, view = "", ...rest] = location.hash.split("/");
  const key = rest.join("/");
  return {view: Object.hasOwn(views, view) ? view : "overview", key: key === "" ? undefined : decodeURIComponent(key)};
}

let shown = "";

// show shows what the address names.
function show(moved) {
  drawTabs();
  if (!state.all) return;
  const {view, key} = place();
  views[view].choose(key);
  if (shown !== view) {
    fill(main, views[view].node);
    shown = view;
    views[view].draw();
  }
  document.title = `${key ?? titles[view]} – ${state.all.info?.name ?? "mcpgen dev"}`;
  if (moved && key !== undefined) window.scrollTo(0, 0);
}

function drawTabs() {
  const {view} = place(), all = state.all;
  const counts = {tools: all?.tools.length, resources: all && all.resources.length + all.templates.length, prompts: all?.prompts.length, tasks: state.tasks.length || undefined};
  fill(document.getElementById("tabs"), Object.entries(titles).filter(([name]) => name !== "tasks" || hasTasks(state)).map(([name, title]) => el("li", {},
    el("a", {href: `#/${name}`, "aria-current": name === view ? "page" : undefined}, title, counts[name] !== undefined && el("span.count", {}, counts[name])))));
}

let loading = false, again = false;

// load lists what the server offers, and does so again if it is called in the meantime.
async function load() {
  if (loading) {
    again = true;
    return;
  }
  loading = true;
  do {
    again = false;
    try {
      const next = await definitions(state.revision);
      compareDefinitions(state.all, next);
      state.all = next;
      document.getElementById("server").textContent = next.info?.title ?? next.info?.name ?? "mcpgen dev";
      drawRevisions();
      show(false);
    } catch (error) {
      if (!state.all) fill(main, el("p.bad.pick", {}, error.message));
    }
  } while (again);
  loading = false;
}

// compareDefinitions records what is new and what has changed.
function compareDefinitions(old, next) {
  if (!old || old.revision !== next.revision) return;
  for (const [kind, key] of [["tools", "name"], ["prompts", "name"], ["resources", "uri"], ["templates", "uriTemplate"]]) {
    const before = new Map(old[kind].map(d => [d[key], JSON.stringify(d)]));
    for (const d of next[kind]) {
      if (!before.has(d[key])) state.news.set(`${kind}/${d[key]}`, "new");
      else if (before.get(d[key]) !== JSON.stringify(d)) state.news.set(`${kind}/${d[key]}`, "changed");
    }
  }
}

function drawRevisions() {
  const {revisions, build} = state.all;
  fill(revision, el("option", {value: ""}, build ? `${build} (its own)` : "its own"), revisions.toReversed().map(r => el("option", {value: r}, r)));
  revision.value = state.revision;
}

const phases = {building: "building…", serving: "serving", failed: "failed", lost: "the server is lost"};

function drawState() {
  const s = state.build, pill = document.getElementById("state"), problem = document.getElementById("problem");
  pill.dataset.phase = s.phase;
  pill.textContent = s.phase === "building" && s.step ? `${s.step}…` : phases[s.phase] ?? s.phase;
  if (s.problem && s.phase !== "building") {
    const title = s.phase === "lost" ? "The server is lost" : s.mistakes?.some(m => m.file) ? "This does not build" : "This does not run";
    fill(problem, el("div.line", {}, el("strong", {}, title),
      el("span.quiet", {}, s.serves ? "The last good build keeps serving." : s.phase === "lost" ? "It will be started again." : "")),
    el("ol.mistakes", {}, (s.mistakes ?? []).map(m => el("li", {}, m.file && el("code.place", {}, [m.file, m.line, m.column].filter(Boolean).join(":")), m.file && " ", el("span", {}, m.text)))));
  }
  problem.hidden = !s.problem || s.phase === "building" && !problem.hasChildNodes();
}

let soon;

// loadSoon loads once nothing has changed for a moment.
function loadSoon() {
  clearTimeout(soon);
  soon = setTimeout(load, 30);
}

function happened(event) {
  switch (event.kind) {
  case "state": {
    const serves = !state.build?.serves && event.value.serves, summary = state.build?.summary !== event.value.summary;
    state.build = event.value;
    drawState();
    if (serves || summary) loadSoon();
    else if (state.all && place().view === "overview" && event.value.phase === "serving") views.overview.draw();
    break;
  }
  case "wire":
    event.value.seq = event.seq;
    state.wire.push(event.value);
    if (state.wire.length > mostWire) state.wire.shift();
    state.lastWire = event.seq;
    views.wire.add(event.value);
    for (const w of state.waiting) w.look();
    break;
  case "log": views.log.add(event.value); break;
  case "updated": views.resources.updated(event.value); break;
  case "asks": asks(event.value); break;
  case "tasks":
    state.tasks = event.value;
    drawTabs();
    if (place().view === "tasks") views.tasks.draw();
    break;
  default: if (event.kind.startsWith("changed/")) loadSoon();
  }
}

function lost(why) {
  const pill = document.getElementById("state");
  pill.dataset.phase = "gone";
  pill.textContent = why;
}

addEventListener("hashchange", () => show(true));
addEventListener("keydown", event => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName);
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    const search = main.querySelector("input.search:not([hidden])");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  }
  if (event.key === "Escape" && typing && document.activeElement.type === "search") {
    document.activeElement.value = "";
    document.activeElement.dispatchEvent(new Event("input"));
  }
});
revision.addEventListener("change", () => {
  state.revision = revision.value;
  load();
});
drawTabs();
load();
events(happened, lost, () => state.build && drawState());
