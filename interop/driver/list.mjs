// Reads a whole list, page by page.

const CALLS = {
  tools: { call: 'listTools', method: 'tools/list', member: 'tools' },
  prompts: { call: 'listPrompts', method: 'prompts/list', member: 'prompts' },
  resources: { call: 'listResources', method: 'resources/list', member: 'resources' },
  templates: {
    call: 'listResourceTemplates',
    method: 'resources/templates/list',
    member: 'resourceTemplates',
  },
};

/**
 * Returns all items, and the number of pages that came over the wire. An SDK that walks the pages
 * by itself is left to it.
 */
export async function list(peer, kind) {
  const { call, method, member } = CALLS[kind];
  const before = peer.count(method);
  const items = [];
  let cursor;
  do {
    const page = await peer.client[call](cursor === undefined ? undefined : { cursor }, peer.fresh);
    items.push(...page[member]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { items, pages: peer.count(method) - before };
}
