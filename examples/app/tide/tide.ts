import { begin, call, on } from "./host";

type Curve = { port: string; date: string; levels: { hour: number; meters: number }[] };

const form = document.querySelector("form")!;
const chart = document.querySelector("svg")!;
const status = document.querySelector("[role=status]")!;
const [port, date] = [form.elements.namedItem("port") as HTMLSelectElement, form.elements.namedItem("date") as HTMLInputElement];

function element(name: string, attributes: Record<string, string | number>, text = "") {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, String(value));
  e.textContent = text;
  return e;
}

function draw(curve: Curve) {
  const top = Math.max(1, ...curve.levels.map((l) => Math.abs(l.meters)));
  const x = (hour: number) => hour * 30;
  const y = (meters: number) => 100 - (meters / top) * 80;
  chart.replaceChildren(
    element("line", { x1: 0, x2: 720, y1: y(0), y2: y(0) }),
    element("path", { d: "M" + curve.levels.map((l) => `${x(l.hour)},${y(l.meters)}`).join("L") }),
    ...[0, 6, 12, 18, 24].map((hour) => element("text", { x: Math.min(x(hour), 690), y: 215 }, `${hour}:00`)),
    element("text", { x: 4, y: 14 }, `${top.toFixed(1)} m`),
  );
  show(curve.port);
  date.value = curve.date;
  status.textContent = `${curve.port}, ${curve.date}`;
}

function show(name: string) {
  if (![...port.options].some((o) => o.value === name)) port.add(new Option(name));
  port.value = name;
}

async function redraw() {
  try {
    draw(await call("tide", { port: port.value, date: date.value }));
  } catch (err) {
    status.textContent = String((err as Error).message);
  }
}

form.addEventListener("change", redraw);
on("ui/notifications/tool-input", ({ arguments: args }) => {
  if (args?.port) show(args.port);
  if (args?.date) date.value = args.date;
});
on("ui/notifications/tool-result", (result) => {
  if (result.isError) status.textContent = result.content?.[0]?.text ?? "the tool failed";
  else if (result.structuredContent) draw(result.structuredContent);
});
on("ui/notifications/tool-cancelled", ({ reason }) => (status.textContent = `cancelled: ${reason ?? ""}`));
on("ui/resource-teardown", () => ({}));

await begin("tides", "1.0.0");
try {
  for (const name of (await call("ports", {})).names) {
    if (![...port.options].some((o) => o.value === name)) port.add(new Option(name));
  }
} catch {
  // The host calls no tools for the page: it stays what the result has drawn.
}
