// Log messages: a level for the session up to 2025-11-25, for each request since.

import { feature, LAST_LEGACY, MODERN } from '../driver/feature.mjs';
import { equal, sleep } from '../driver/run.mjs';

const TOOL = 'test_tool_with_logging';
const MESSAGES = ['Tool execution started', 'Tool processing data', 'Tool execution completed'];
const LEVEL = 'io.modelcontextprotocol/logLevel';
const QUIET_MS = 200;

/** Expects the tool's messages, all at level info. */
async function expectMessages(log) {
  await log.reach(MESSAGES.length);
  equal(
    log.items.map(m => [m.level, m.data]),
    MESSAGES.map(text => ['info', text]),
    'messages',
  );
}

export default [
  feature('logging', { until: LAST_LEGACY, tools: [TOOL] }, async peer => {
    const log = peer.record('notifications/message');
    await peer.client.setLoggingLevel('debug');
    await peer.text(TOOL, {});
    await expectMessages(log);

    await peer.client.setLoggingLevel('error');
    await peer.text(TOOL, {});
    await sleep(QUIET_MS);
    equal(log.items.length, MESSAGES.length, 'messages, with those below the level');
  }),

  feature('logging-per-request', { since: MODERN, tools: [TOOL] }, async peer => {
    const log = peer.record('notifications/message');
    await peer.callTool({ name: TOOL, arguments: {}, _meta: { [LEVEL]: 'info' } });
    await expectMessages(log);

    await peer.callTool({ name: TOOL, arguments: {}, _meta: { [LEVEL]: 'error' } });
    await peer.callTool({ name: TOOL, arguments: {} });
    await sleep(QUIET_MS);
    equal(
      log.items.length,
      MESSAGES.length,
      'messages, with those below the level and those that nobody asked for',
    );
  }),
];
