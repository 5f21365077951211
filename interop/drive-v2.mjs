// Drives a server with the TypeScript SDK v2.
//
// usage: node drive-v2.mjs MODE SERVER
//
// SERVER is a command with its arguments, for stdio, or a URL. MODE is legacy (initialize, up to 2025-11-25), modern (2026-07-28 or nothing), or auto (asks the
// server by server/discover and falls back to initialize).

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { main } from './driver/main.mjs';
import { CAPABILITIES, NOTIFICATIONS, Peer } from './driver/peer.mjs';
import { transportTo } from './driver/server.mjs';

const MODES = { legacy: 'legacy', auto: 'auto', modern: { pin: '2026-07-28' } };

const TRANSPORTS = {
  Stdio: StdioClientTransport,
  StreamableHTTP: StreamableHTTPClientTransport,
  SSE: SSEClientTransport,
};

// A Standard Schema that takes everything: for methods that the SDK does not know.
const ANYTHING = { '~standard': { version: 1, vendor: 'mcpgen', validate: value => ({ value }) } };

async function connect([mode, ...server]) {
  if (!(mode in MODES)) throw new Error(`mode is ${mode}, want one of ${Object.keys(MODES).join(', ')}`);
  const client = new Client(
    { name: 'drive-v2', version: '1.0.0' },
    { capabilities: CAPABILITIES, versionNegotiation: { mode: MODES[mode] } },
  );
  const peer = new Peer({
    client,
    callTool: (params, options) => client.callTool(params, options),
    request: (request, options) => client.request(request, ANYTHING, options),
    fresh: { cacheMode: 'refresh' },
    // The SDK reports the older code of a server as the newer one.
    resourceNotFound: -32602,
  });
  client.onerror = error => peer.complaints.push(error.message);
  client.setRequestHandler('roots/list', request => peer.asked('roots', request.params));
  client.setRequestHandler('sampling/createMessage', request => peer.asked('sampling', request.params));
  client.setRequestHandler('elicitation/create', request => peer.asked('elicitation', request.params));
  for (const method of NOTIFICATIONS) {
    client.setNotificationHandler(method, n => peer.notified(method, n.params));
  }

  const transport = transportTo(server, TRANSPORTS);
  peer.watch(transport);
  await client.connect(transport);
  peer.revision = client.getNegotiatedProtocolVersion();
  // The SDK reports such an answer by its status, 404, and to onerror.
  if (peer.modern && transport instanceof StreamableHTTPClientTransport)
    peer.methodNotFound = 'CLIENT_HTTP_NOT_IMPLEMENTED';
  return peer;
}

await main(connect, process.argv.slice(2));
