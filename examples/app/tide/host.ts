// The messages between a page and its host: JSON-RPC by postMessage.

type Message = { jsonrpc: "2.0"; id?: number; method?: string; params?: any; result?: any; error?: { message: string } };

const waiting = new Map<number, { resolve(result: any): void; reject(err: Error): void }>();
const handlers = new Map<string, (params: any) => any>();
let last = 0;

function send(m: Omit<Message, "jsonrpc">) {
  parent.postMessage({ jsonrpc: "2.0", ...m }, "*");
}

addEventListener("message", async (event) => {
  const m = event.data as Message;
  if (event.source !== parent || m?.jsonrpc !== "2.0") return;
  if (m.method === undefined) {
    const call = waiting.get(m.id!);
    waiting.delete(m.id!);
    if (m.error) call?.reject(new Error(m.error.message));
    else call?.resolve(m.result);
    return;
  }
  const handler = handlers.get(m.method);
  if (m.id === undefined) {
    handler?.(m.params);
  } else if (handler || m.method === "ping") {
    send({ id: m.id, result: (await handler?.(m.params)) ?? {} });
  } else {
    send({ id: m.id, error: { code: -32601, message: "the page has no " + m.method } as any });
  }
});

/** Sends a request to the host, and returns its result. */
export function request(method: string, params: object): Promise<any> {
  return new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    send({ id: last, method, params });
  });
}

/** Handles a notification or a request of the host. */
export function on(method: string, handler: (params: any) => any) {
  handlers.set(method, handler);
}

/** Calls a tool of the page's server. */
export async function call(name: string, args: object): Promise<any> {
  const result = await request("tools/call", { name, arguments: args });
  if (result.isError) throw new Error(result.content[0]?.text ?? "the tool failed");
  return result.structuredContent;
}

/** Begins, when the page has its handlers: the host then sends what the tool was called with, and what it returned. */
export async function begin(name: string, version: string) {
  const { hostContext } = await request("ui/initialize", {
    protocolVersion: "2026-01-26",
    appInfo: { name, version },
    appCapabilities: { availableDisplayModes: ["inline"] },
  });
  adapt(hostContext);
  on("ui/notifications/host-context-changed", adapt);
  send({ method: "ui/notifications/initialized", params: {} });
  new ResizeObserver(() => {
    const { width, height } = document.documentElement.getBoundingClientRect();
    send({ method: "ui/notifications/size-changed", params: { width: Math.ceil(width), height: Math.ceil(height) } });
  }).observe(document.documentElement);
}

/** Makes the page look like its host. */
function adapt(context: any) {
  const style = document.documentElement.style;
  if (context?.theme) style.colorScheme = context.theme;
  for (const [name, value] of Object.entries<string>(context?.styles?.variables ?? {})) style.setProperty(name, value);
}
