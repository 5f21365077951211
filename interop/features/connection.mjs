// What the two sides learn of each other, and methods that belong to no feature.

import { feature, LAST_LEGACY, MODERN } from '../driver/feature.mjs';
import { check, equal, refused, until } from '../driver/run.mjs';

const MISSING_CAPABILITY = -32021;

export default [
  feature('connect', {}, async peer => {
    const server = peer.client.getServerVersion();
    check(
      server?.name && server?.version,
      `the server calls itself ${JSON.stringify(server)}, want a name and a version`,
    );
    return { revision: peer.revision, server: server.name };
  }),

  feature('instructions', {}, async peer => {
    const text = peer.client.getInstructions();
    check(
      typeof text === 'string' && text !== '',
      `instructions are ${JSON.stringify(text)}, want some text`,
    );
  }),

  feature('capabilities', {}, async peer => {
    const got = peer.client.getServerCapabilities();
    equal(got.tools?.listChanged, true, 'tools.listChanged');
    equal(got.prompts?.listChanged, true, 'prompts.listChanged');
    equal(got.resources?.listChanged, true, 'resources.listChanged');
    equal(got.resources?.subscribe, true, 'resources.subscribe');
    check(got.logging, 'logging is not declared');
    if (peer.revision >= '2025-03-26') check(got.completions, 'completions is not declared');
  }),

  feature('extension', { since: MODERN }, async peer => {
    equal(
      peer.client.getServerCapabilities().extensions?.['com.example/everything'],
      { level: 1 },
      'extension com.example/everything',
    );
  }),

  feature('discover', { since: MODERN }, async peer => {
    const found = await peer.client.discover();
    check(found.supportedVersions.includes(MODERN), `supportedVersions are ${found.supportedVersions}`);
  }),

  feature('ping', { until: LAST_LEGACY }, async peer => {
    await peer.client.ping();
  }),

  feature('custom-request', {}, async peer => {
    const value = { text: 'a\u2028b "\\ \u0001 𝄞', numbers: [0, -1, 1.5, 2 ** 53], nested: { null: null } };
    const result = await peer.request({ method: 'example/echo', params: { value } });
    equal(result.value, value, 'the echo');
  }),

  feature('custom-notification', { tools: ['test_observed'] }, async peer => {
    const text = `notice ${process.pid}`;
    await peer.client.notification({ method: 'notifications/example/notice', params: { text } });
    let seen;
    await until(
      async () => (seen = (await peer.observed()).notices).includes(text),
      () => `the server saw the notices ${JSON.stringify(seen)}`,
    );
  }),

  feature('unknown-method', {}, async peer => {
    const call = peer.request({ method: 'example/absent', params: {} });
    await refused(call, peer.methodNotFound ?? -32601, 'example/absent');
    if (peer.methodNotFound) peer.complaints.length = 0;
  }),

  feature('large-message', {}, async peer => {
    const value = '0123456789abcdef'.repeat(1 << 16);
    const result = await peer.request({ method: 'example/echo', params: { value } });
    check(result.value === value, `1 MiB came back as ${result.value?.length} characters`);
  }),

  // What a request itself declares counts, not what the client declared before.
  feature('missing-capability', { since: MODERN, tools: ['test_missing_capability'] }, async peer => {
    const params = {
      name: 'test_missing_capability',
      _meta: { 'io.modelcontextprotocol/clientCapabilities': {} },
    };
    const error = await refused(peer.callTool(params), MISSING_CAPABILITY, 'a call without capabilities');
    equal(error.data, { requiredCapabilities: { sampling: {} } }, 'data of the error');
    await peer.text('test_missing_capability');
  }),
];
