import { feature, LAST_LEGACY } from '../driver/feature.mjs';
import { check, until } from '../driver/run.mjs';

const TOOL = 'test_input_required_result_list_roots';

export default [
  feature('roots', { tools: [TOOL] }, async peer => {
    const roots = [{ uri: 'file:///home/ada', name: 'Home' }, { uri: 'file:///srv/data' }];
    peer.answer('roots', () => ({ roots }));
    const text = await peer.text(TOOL, {});
    for (const root of roots)
      check(text.includes(root.uri), `text ${JSON.stringify(text)} lacks ${root.uri}`);
  }),

  feature('roots-list-changed', { until: LAST_LEGACY, tools: ['test_observed'] }, async peer => {
    const before = (await peer.observed()).rootsListChanged;
    await peer.client.sendRootsListChanged();
    let after;
    await until(
      async () => (after = (await peer.observed()).rootsListChanged) === before + 1,
      () => `the server saw ${after - before} changes`,
    );
  }),
];
