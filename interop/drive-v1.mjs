// Drives a server with the TypeScript SDK v1, which speaks up to 2025-11-25.
//
// usage: node drive-v1.mjs SERVER
//
// SERVER is a command with its arguments, for stdio, or a URL.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { main } from './driver/main.mjs';
import { CAPABILITIES, NOTIFICATIONS, Peer } from './driver/peer.mjs';
import { transportTo } from './driver/server.mjs';

const SCHEMAS = {
  'notifications/message': types.LoggingMessageNotificationSchema,
  'notifications/resources/updated': types.ResourceUpdatedNotificationSchema,
  'notifications/resources/list_changed': types.ResourceListChangedNotificationSchema,
  'notifications/tools/list_changed': types.ToolListChangedNotificationSchema,
  'notifications/prompts/list_changed': types.PromptListChangedNotificationSchema,
  'notifications/elicitation/complete': types.ElicitationCompleteNotificationSchema,
};

const TRANSPORTS = {
  Stdio: StdioClientTransport,
  StreamableHTTP: StreamableHTTPClientTransport,
  SSE: SSEClientTransport,
};

async function connect(server) {
  const client = new Client({ name: 'drive-v1', version: '1.0.0' }, { capabilities: CAPABILITIES });
  const peer = new Peer({
    client,
    callTool: (params, options) => client.callTool(params, undefined, options),
    request: (request, options) => client.request(request, types.ResultSchema, options),
  });
  client.onerror = error => peer.complaints.push(error.message);
  client.setRequestHandler(types.ListRootsRequestSchema, request => peer.asked('roots', request.params));
  client.setRequestHandler(types.CreateMessageRequestSchema, request =>
    peer.asked('sampling', request.params),
  );
  client.setRequestHandler(types.ElicitRequestSchema, request => peer.asked('elicitation', request.params));
  for (const method of NOTIFICATIONS) {
    client.setNotificationHandler(SCHEMAS[method], n => peer.notified(method, n.params));
  }

  const transport = transportTo(server, TRANSPORTS);
  const setProtocolVersion = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = revision => {
    peer.revision = revision;
    setProtocolVersion?.(revision);
  };
  peer.watch(transport);
  await client.connect(transport);
  return peer;
}

await main(connect, process.argv.slice(2));
