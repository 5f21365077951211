// How the drivers get to a server.

/**
 * Returns a transport to a server: over stdio to a command, over HTTP+SSE to a URL whose path ends
 * in /sse, over Streamable HTTP to another.
 */
export function transportTo([target, ...args], { Stdio, StreamableHTTP, SSE }) {
  if (!/^https?:/.test(target)) return new Stdio({ command: target, args });
  const url = new URL(target);
  return url.pathname.endsWith('/sse') ? new SSE(url) : new StreamableHTTP(url);
}
