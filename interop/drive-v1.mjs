// Drives a server over stdio with the TypeScript SDK v1, which speaks up to 2025-11-25.
//
// usage: node drive-v1.mjs COMMAND [ARGUMENT...]

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import { main } from './driver/main.mjs';
import { CAPABILITIES, NOTIFICATIONS, Peer } from './driver/peer.mjs';

const SCHEMAS = {
  'notifications/message': types.LoggingMessageNotificationSchema,
  'notifications/resources/updated': types.ResourceUpdatedNotificationSchema,
  'notifications/resources/list_changed': types.ResourceListChangedNotificationSchema,
  'notifications/tools/list_changed': types.ToolListChangedNotificationSchema,
  'notifications/prompts/list_changed': types.PromptListChangedNotificationSchema,
  'notifications/elicitation/complete': types.ElicitationCompleteNotificationSchema,
};

async function connect([command, ...args]) {
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

  const transport = new StdioClientTransport({ command, args });
  transport.setProtocolVersion = revision => (peer.revision = revision);
  peer.watch(transport);
  await client.connect(transport);
  return peer;
}

await main(connect, process.argv.slice(2));
