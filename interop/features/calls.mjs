// Calls that take their time: progress, cancellation, several at once.

import { feature } from '../driver/feature.mjs';
import { check, equal, until } from '../driver/run.mjs';

export default [
  // Over HTTP the server ends the stream of such a call, where it has another way to answer.
  feature('reconnection', { tools: ['test_reconnection'] }, async peer => {
    equal(await peer.text('test_reconnection'), 'Reconnected.', 'text');
  }),

  feature('progress', { tools: ['test_tool_with_progress'] }, async peer => {
    const got = [];
    await peer.text('test_tool_with_progress', {}, { onprogress: p => got.push([p.progress, p.total]) });
    equal(
      got,
      [
        [0, 100],
        [50, 100],
        [100, 100],
      ],
      'progress before the result',
    );
  }),

  feature('cancellation', { tools: ['test_wait', 'test_observed'] }, async peer => {
    const before = (await peer.observed()).cancelled;
    const stop = new AbortController();
    const call = peer.text(
      'test_wait',
      { ms: 60_000 },
      { signal: stop.signal, onprogress: () => stop.abort('enough') },
    );
    await call.then(
      text => check(false, `the call was answered: ${text}`),
      error => check(`${error.message}`.includes('enough'), `the call ended with ${error.message}`),
    );
    let after;
    await until(
      async () => (after = (await peer.observed()).cancelled) === before + 1,
      () => `the server saw ${after - before} calls cancelled`,
    );
  }),

  feature('concurrent-calls', { tools: ['test_wait'] }, async peer => {
    const waits = Array.from({ length: 20 }, (_, i) => 100 - 5 * i);
    const texts = await Promise.all(waits.map(ms => peer.text('test_wait', { ms })));
    equal(
      texts,
      waits.map(ms => `waited ${ms} ms`),
      'answers',
    );
  }),
];
