// A server with every feature of the table in README.md, on the TypeScript SDK v2. The drivers are
// tried on it, and our client drives it.
//
// usage: node server-v2.mjs [--http [--resumable]] [--revision REVISION]
//
// With --http it serves HTTP on a free port and prints its URL in a line; else it speaks over stdio.
// Streams that are resumable have events with ids.
// The revision limits it to one up to 2025-11-25; without it, it speaks them all.

import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { parseArgs } from 'node:util';
import { state } from './fixture/asks.mjs';
import { serveHTTP } from './fixture/http.mjs';
import * as prompts from './fixture/prompts.mjs';
import * as resources from './fixture/resources.mjs';
import * as tools from './fixture/tools.mjs';

const PAGE_SIZE = 20;
const WORDS = ['paris', 'park', 'party', 'peace'];
const IDS = ['1', '12', '123', '2'];
// A Standard Schema that takes everything: for methods that the SDK does not know.
const ANYTHING = { '~standard': { version: 1, vendor: 'mcpgen', validate: value => ({ value }) } };

const invalid = message => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

/** One page of a list; a cursor is the number of the first item. */
function page(member, items, cursor = '0') {
  const start = Number(cursor);
  if (!Number.isInteger(start) || start < 0 || (start > 0 && start >= items.length))
    throw invalid(`no page begins at ${JSON.stringify(cursor)}`);
  const end = start + PAGE_SIZE;
  return { [member]: items.slice(start, end), ...(end < items.length && { nextCursor: String(end) }) };
}

function complete({ ref, argument, context }) {
  const starting = words => words.filter(word => word.startsWith(argument.value));
  if (ref.type === 'ref/resource') return starting(IDS);
  if (argument.name === 'arg1') return starting(WORDS);
  const first = context?.arguments?.arg1;
  return first ? starting([`${first}-1`, `${first}-2`]) : [];
}

/** What the server saw of its clients: of one, or over HTTP of all. */
const nothingSeen = () => ({ cancelled: 0, rootsListChanged: 0, notices: [], reads: 0 });

/** Announces changes to the client of a server. */
const changesOf = server => ({
  tools: () => server.sendToolListChanged(),
  prompts: () => server.sendPromptListChanged(),
  resources: () => server.sendResourceListChanged(),
  resource: uri => server.sendResourceUpdated({ uri }),
});

function newServer({ era, revision, seen = nothingSeen(), changes }) {
  const server = new Server(
    { name: 'server-v2', version: '1.0.0' },
    {
      instructions: 'Try every tool.',
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
        extensions: { 'com.example/everything': { level: 1 } },
      },
      requestState: { verify: state.verify },
      ...(revision && { supportedProtocolVersions: [revision] }),
    },
  );
  const connection = {
    server,
    modern: era === 'modern',
    subscribed: new Set(),
    changes: changes ?? changesOf(server),
    seen,
  };

  server.setRequestHandler('tools/list', ({ params }) =>
    page('tools', [...tools.tools.values()].map(tools.describe), params?.cursor),
  );
  server.setRequestHandler('tools/call', async ({ params }, ctx) => {
    const tool = tools.tools.get(params.name);
    if (!tool) throw invalid(`there is no tool ${params.name}`);
    const args = params.arguments ?? {};
    const fault = tools.fault(tool, args);
    if (fault) return { content: [{ type: 'text', text: fault }], isError: true };
    const result = await tool.call(args, ctx, connection);
    return result.content ? server.projectCallToolResult(result, tool.outputSchema) : result;
  });

  server.setRequestHandler('prompts/list', ({ params }) =>
    page('prompts', [...prompts.prompts.values()].map(prompts.describe), params?.cursor),
  );
  server.setRequestHandler('prompts/get', ({ params }, ctx) => {
    const prompt = prompts.prompts.get(params.name);
    if (!prompt) throw invalid(`there is no prompt ${params.name}`);
    const lack = (prompt.required ?? []).find(name => params.arguments?.[name] === undefined);
    if (lack) throw invalid(`the argument ${lack} is missing`);
    return prompt.get(params.arguments, ctx);
  });

  server.setRequestHandler('resources/list', ({ params }) =>
    page('resources', resources.resources, params?.cursor),
  );
  server.setRequestHandler('resources/templates/list', ({ params }) =>
    page('resourceTemplates', resources.templates, params?.cursor),
  );
  server.setRequestHandler(
    'resources/read',
    ({ params }, ctx) => (seen.reads++, resources.read(params.uri, ctx)),
  );
  server.setRequestHandler(
    'resources/subscribe',
    ({ params }) => (connection.subscribed.add(params.uri), {}),
  );
  server.setRequestHandler(
    'resources/unsubscribe',
    ({ params }) => (connection.subscribed.delete(params.uri), {}),
  );

  server.setRequestHandler('completion/complete', ({ params }) => {
    const values = complete(params);
    return { completion: { values, total: values.length, hasMore: false } };
  });

  server.setRequestHandler('example/echo', { params: ANYTHING, result: ANYTHING }, ({ value }) => ({
    value,
  }));
  server.setNotificationHandler(
    'notifications/example/notice',
    { params: ANYTHING },
    ({ text }) => void seen.notices.push(text),
  );
  server.setNotificationHandler('notifications/roots/list_changed', () => void seen.rootsListChanged++);
  return server;
}

const { http, resumable, revision } = parseArgs({
  options: { http: { type: 'boolean' }, resumable: { type: 'boolean' }, revision: { type: 'string' } },
}).values;
if (http) {
  const seen = nothingSeen();
  const serve = options => newServer({ ...options, revision, seen });
  console.log(await serveHTTP(serve, { revision, resumable }));
} else if (revision) {
  await newServer({ era: 'legacy', revision }).connect(new StdioServerTransport());
} else {
  serveStdio(newServer);
}
