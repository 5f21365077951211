import { feature, MODERN } from '../driver/feature.mjs';
import { check, equal } from '../driver/run.mjs';

const URI = 'test://static-text';

export default [
  feature('cache-hints', { since: MODERN }, async peer => {
    const params = {};
    for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']) {
      const { ttlMs, cacheScope } = await peer.client.request({ method, params });
      check(Number.isInteger(ttlMs) && ttlMs >= 0, `ttlMs of ${method} is ${ttlMs}`);
      check(['public', 'private'].includes(cacheScope), `cacheScope of ${method} is ${cacheScope}`);
    }
  }),

  // The SDK does not ask again while the hint of the first answer holds.
  feature('cache', { since: MODERN, resources: [URI] }, async peer => {
    const first = await peer.client.readResource({ uri: URI }, { cacheMode: 'refresh' });
    check(first.ttlMs > 0, `ttlMs of ${URI} is ${first.ttlMs}, want more than 0`);
    equal(first.cacheScope, 'public', `cacheScope of ${URI}`);
    await peer.client.readResource({ uri: URI });
    equal(peer.count('resources/read'), 1, 'number of resources/read requests');
  }),
];
