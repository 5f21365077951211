// The list of tools, and what the kinds of results look like.

import { feature, MODERN } from '../driver/feature.mjs';
import { list } from '../driver/list.mjs';
import { check, equal, refused } from '../driver/run.mjs';

const INVALID_PARAMS = -32602;

async function find(peer, name) {
  return (await list(peer, 'tools')).items.find(tool => tool.name === name);
}

/** Calls a tool without arguments and returns its content. */
async function content(peer, name) {
  const result = await peer.callTool({ name, arguments: {} });
  equal(result.isError ?? false, false, `isError of ${name}`);
  return result.content;
}

function base64(block, mimeType) {
  equal(block.mimeType, mimeType, 'mimeType');
  check(Buffer.from(block.data, 'base64').length > 0, `data is ${JSON.stringify(block.data)}, want base64`);
}

export default [
  feature('tools-list', {}, async peer => {
    const { items, pages } = await list(peer, 'tools');
    const names = items.map(tool => tool.name);
    equal(new Set(names).size, names.length, 'number of different names');
    for (const tool of items) {
      check(tool.description, `${tool.name} has no description`);
      equal(tool.inputSchema?.type, 'object', `type of the inputSchema of ${tool.name}`);
    }
    equal(
      (await list(peer, 'tools')).items.map(tool => tool.name),
      names,
      'names in a second list',
    );
    return { tools: names.length, pages };
  }),

  feature('pages', { tools: ['test_simple_text'] }, async peer => {
    const { pages } = await list(peer, 'tools');
    check(pages > 1, 'tools/list came in one page, want several');
    await refused(peer.client.listTools({ cursor: 'no such cursor' }), INVALID_PARAMS, 'an invalid cursor');
  }),

  feature('tool-metadata', { since: '2025-11-25', tools: ['test_structured_output'] }, async peer => {
    const tool = await find(peer, 'test_structured_output');
    equal(tool.title, 'Structured output', 'title');
    equal(tool.annotations?.readOnlyHint, true, 'annotations.readOnlyHint');
    equal(tool.annotations?.openWorldHint, false, 'annotations.openWorldHint');
    check(
      tool.icons?.[0]?.src?.startsWith('data:image/png;base64,'),
      `icons are ${JSON.stringify(tool.icons)}, want a PNG in a data: URL`,
    );
  }),

  feature('tool-schema', { tools: ['json_schema_2020_12_tool'] }, async peer => {
    const schema = (await find(peer, 'json_schema_2020_12_tool')).inputSchema;
    equal(schema.$schema, 'https://json-schema.org/draft/2020-12/schema', '$schema');
    equal(schema.$defs?.address?.$anchor, 'addressDef', '$anchor');
    equal(schema.properties?.address, { $ref: '#/$defs/address' }, 'a reference');
    equal(schema.additionalProperties, false, 'additionalProperties');
    for (const keyword of ['allOf', 'if', 'then', 'else']) check(schema[keyword], `${keyword} is missing`);
  }),

  feature('tool-text', { tools: ['test_simple_text'] }, async peer => {
    equal(await peer.text('test_simple_text'), 'This is a simple text response for testing.', 'text');
  }),

  feature('tool-image', { tools: ['test_image_content'] }, async peer => {
    const [block] = await content(peer, 'test_image_content');
    equal(block.type, 'image', 'type');
    base64(block, 'image/png');
  }),

  feature('tool-audio', { since: '2025-03-26', tools: ['test_audio_content'] }, async peer => {
    const [block] = await content(peer, 'test_audio_content');
    equal(block.type, 'audio', 'type');
    base64(block, 'audio/wav');
  }),

  feature('tool-embedded-resource', { tools: ['test_embedded_resource'] }, async peer => {
    const [block] = await content(peer, 'test_embedded_resource');
    equal(
      block,
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
      'content',
    );
  }),

  feature('tool-resource-link', { since: '2025-06-18', tools: ['test_resource_link'] }, async peer => {
    const [block] = await content(peer, 'test_resource_link');
    equal(
      block,
      { type: 'resource_link', uri: 'test://static-text', name: 'static-text', mimeType: 'text/plain' },
      'content',
    );
  }),

  feature('tool-several-contents', { tools: ['test_multiple_content_types'] }, async peer => {
    const blocks = await content(peer, 'test_multiple_content_types');
    equal(
      blocks.map(block => block.type),
      ['text', 'image', 'resource'],
      'types',
    );
    equal(JSON.parse(blocks[2].resource.text), { test: 'data', value: 123 }, 'the resource');
  }),

  // The SDK checks the result against the tool's outputSchema once it has listed the tool.
  feature(
    'tool-structured-output',
    { since: '2025-06-18', tools: ['test_structured_output'] },
    async peer => {
      const tool = await find(peer, 'test_structured_output');
      equal(tool.outputSchema?.required, ['temperature', 'conditions'], 'required of the outputSchema');
      const result = await peer.callTool({ name: tool.name, arguments: { city: 'Oslo' } });
      const want = { temperature: -3.5, conditions: 'snow in Oslo' };
      equal(result.structuredContent, want, 'structuredContent');
      equal(JSON.parse(result.content[0].text), want, 'the same as text');
    },
  ),

  feature('tool-structured-array', { since: MODERN, tools: ['test_structured_array'] }, async peer => {
    await find(peer, 'test_structured_array');
    const result = await peer.callTool({ name: 'test_structured_array', arguments: {} });
    equal(result.structuredContent, [1, 2, 3], 'structuredContent');
    equal(JSON.parse(result.content[0].text), [1, 2, 3], 'the same as text');
  }),

  // Over HTTP the argument is in a header, too, since 2026-07-28: a text that no header can hold.
  feature('tool-header', { tools: ['test_x_mcp_header'] }, async peer => {
    await find(peer, 'test_x_mcp_header');
    for (const region of ['eu', ' Zürich ', '=?base64?eA==?=', ''])
      equal(await peer.text('test_x_mcp_header', { region }), `region: ${region}`, 'text');
  }),

  feature('tool-error', { tools: ['test_error_handling'] }, async peer => {
    const result = await peer.callTool({ name: 'test_error_handling', arguments: {} });
    equal(result.isError, true, 'isError');
    equal(result.content[0]?.text, 'This tool intentionally returns an error for testing', 'text');
  }),

  feature('tool-unknown', {}, async peer => {
    await refused(peer.callTool({ name: 'no_such_tool', arguments: {} }), INVALID_PARAMS, 'an unknown tool');
  }),

  feature('tool-bad-arguments', { since: '2025-11-25', tools: ['test_structured_output'] }, async peer => {
    const result = await peer.callTool({ name: 'test_structured_output', arguments: { city: 7 } });
    equal(result.isError, true, 'isError');
    check(
      result.content[0]?.text?.includes('city'),
      `text ${JSON.stringify(result.content[0]?.text)} does not name the argument`,
    );
  }),
];
