// Lists the tools of a server, and calls them.
//
// usage: node annotated.mjs v1|v2 CALLS COMMAND [ARGUMENT...]
//
// CALLS is a file with a JSON array of calls: {"tool": …, "arguments": {…}}. For each of them it prints
// what the validator of the SDK says about the arguments, and the result of the call: the client checks
// structured content against the output schema. Asked to confirm something, the user does so, unless it is dear.

import { readFile } from 'node:fs/promises';
import * as v1 from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator as V1Validator } from '@modelcontextprotocol/sdk/validation/ajv';
import * as v2 from '@modelcontextprotocol/client';
import { StdioClientTransport as V2Transport } from '@modelcontextprotocol/client/stdio';
import { AjvJsonSchemaValidator as V2Validator } from '@modelcontextprotocol/client/validators/ajv';

const info = { name: 'annotated', version: '1' };
const capabilities = { elicitation: { form: {} } };
const SDK = {
  v1: () => [new v1.Client(info, { capabilities }), V1Transport, V1Validator, ElicitRequestSchema],
  v2: () => [
    new v2.Client(info, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    V2Transport,
    V2Validator,
    'elicitation/create',
  ],
};

const [version, file, command, ...args] = process.argv.slice(2);
const calls = JSON.parse(await readFile(file, 'utf8'));
const [client, Transport, Validator, asks] = SDK[version]();
client.setRequestHandler(asks, ({ params }) =>
  params.message.includes('dear') ? { action: 'decline' } : { action: 'accept', content: {} },
);
await client.connect(new Transport({ command, args }));

const validators = new Map();
const provider = new Validator();
let cursor;
do {
  const page = await client.listTools(cursor && { cursor });
  for (const tool of page.tools) {
    validators.set(tool.name, provider.getValidator(tool.inputSchema));
    if (tool.outputSchema) provider.getValidator(tool.outputSchema);
  }
  cursor = page.nextCursor;
} while (cursor);

for (const call of calls) {
  const line = { valid: validators.get(call.tool)(call.arguments).valid };
  try {
    const { isError, structuredContent, content } = await client.callTool({ name: call.tool, arguments: call.arguments });
    Object.assign(line, { isError: isError ?? false, structuredContent, content });
  } catch (error) {
    line.thrown = String(error);
  }
  process.stdout.write(JSON.stringify(line) + '\n');
}
await client.close();
