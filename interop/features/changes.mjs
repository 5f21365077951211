// Notifications of changes: without being asked up to 2025-11-25 (a resource: after subscribe), and
// on a subscription since.

import { feature, MODERN } from '../driver/feature.mjs';
import { check, equal, sleep } from '../driver/run.mjs';

const WATCHED = 'test://watched-resource';
const QUIET_MS = 300;

/** Opens a subscription where the revision has them. Returns a function that ends it. */
async function listen(peer, filter) {
  if (!peer.modern) return undefined;
  const subscription = await peer.client.listen(filter);
  equal(subscription.honoredFilter, filter, 'what the server agreed to');
  return () => subscription.close();
}

/** A list whose changes are announced. */
function listChanged(kind, filter) {
  const trigger = `test_trigger_${kind}_change`;
  return feature(`${kind}s-list-changed`, { tools: [trigger] }, async peer => {
    const end = await listen(peer, filter);
    const changes = peer.record(`notifications/${kind}s/list_changed`);
    await peer.text(trigger);
    await changes.reach(1);
    if (!end) return;
    await end();
    const heard = changes.items.length;
    await peer.text(trigger);
    await sleep(QUIET_MS);
    equal(changes.items.length, heard, 'notifications after the end of the subscription');
  });
}

export default [
  listChanged('tool', { toolsListChanged: true }),
  listChanged('prompt', { promptsListChanged: true }),
  listChanged('resource', { resourcesListChanged: true }),

  feature(
    'resource-updated',
    { tools: ['test_trigger_resource_update'], resources: [WATCHED] },
    async peer => {
      const updates = peer.record('notifications/resources/updated');
      await peer.text('test_trigger_resource_update');
      await sleep(QUIET_MS);
      equal(updates.items.length, 0, 'updates before the subscription');

      let end = await listen(peer, { resourceSubscriptions: [WATCHED] });
      if (!end) {
        await peer.client.subscribeResource({ uri: WATCHED });
        end = () => peer.client.unsubscribeResource({ uri: WATCHED });
      }
      await peer.text('test_trigger_resource_update');
      await updates.reach(1);
      equal(updates.items[0].uri, WATCHED, 'uri');

      await end();
      await peer.text('test_trigger_resource_update');
      await sleep(QUIET_MS);
      equal(updates.items.length, 1, 'updates after the end of the subscription');
    },
  ),

  feature(
    'two-subscriptions',
    { since: MODERN, tools: ['test_trigger_tool_change', 'test_trigger_prompt_change'] },
    async peer => {
      const tools = peer.record('notifications/tools/list_changed');
      const prompts = peer.record('notifications/prompts/list_changed');
      const endTools = await listen(peer, { toolsListChanged: true });
      const endPrompts = await listen(peer, { promptsListChanged: true });
      await endTools();
      await peer.text('test_trigger_tool_change');
      await peer.text('test_trigger_prompt_change');
      await prompts.reach(1);
      await sleep(QUIET_MS);
      equal(tools.items.length, 0, 'notifications of the subscription that ended');
      await endPrompts();
    },
  ),

  feature('no-unsolicited-changes', { since: MODERN, tools: ['test_trigger_tool_change'] }, async peer => {
    const changes = peer.record('notifications/tools/list_changed');
    await peer.text('test_trigger_tool_change');
    await sleep(QUIET_MS);
    check(changes.items.length === 0, `got ${changes.items.length} notifications without a subscription`);
  }),
];
