// Input in the middle of a request: an input_required result and a retry since 2026-07-28,
// requests of the server before. The server's handlers are the same for both.

import { feature, MODERN } from '../driver/feature.mjs';
import { check, equal, refused } from '../driver/run.mjs';

const INVALID_PARAMS = -32602;
const SINCE = '2025-06-18'; // the first revision with elicitation
const PREFIX = 'test_input_required_result_';

/** Accepts forms with these values, taking what each form has a property for. */
function fillForms(peer, values) {
  peer.answer('elicitation', ({ requestedSchema }) => {
    const names = Object.keys(requestedSchema.properties);
    return { action: 'accept', content: Object.fromEntries(names.map(name => [name, values[name]])) };
  });
}

function sample(peer, text) {
  peer.answer('sampling', () => ({ role: 'assistant', model: 'a-model', content: { type: 'text', text } }));
}

/** Expects that a method was sent so many times where input comes by retries, once elsewhere. */
function expectRounds(peer, method, rounds) {
  equal(peer.count(method), peer.modern ? rounds : 1, `number of ${method} requests`);
}

/** A tool that asks and then answers with a text that has all of these in it. */
function asking(name, suffix, since, rounds, prepare, ...want) {
  return feature(name, { since, tools: [PREFIX + suffix] }, async peer => {
    prepare(peer);
    const text = await peer.text(PREFIX + suffix, {});
    for (const part of want)
      check(text.includes(part), `text ${JSON.stringify(text)} lacks ${JSON.stringify(part)}`);
    expectRounds(peer, 'tools/call', rounds);
  });
}

export default [
  asking(
    'input-elicitation',
    'elicitation',
    SINCE,
    2,
    peer => fillForms(peer, { name: 'Ada' }),
    'Hello, Ada!',
  ),
  asking('input-sampling', 'sampling', '2024-11-05', 2, peer => sample(peer, 'Paris.'), 'Paris.'),
  asking('input-state', 'request_state', SINCE, 2, peer => fillForms(peer, { ok: true }), 'state-ok'),
  asking(
    'input-several-rounds',
    'multi_round',
    SINCE,
    3,
    peer => fillForms(peer, { name: 'Ada', color: 'blue' }),
    'Ada',
    'blue',
  ),

  feature('input-several-kinds', { since: SINCE, tools: [PREFIX + 'multiple_inputs'] }, async peer => {
    fillForms(peer, { name: 'Ada' });
    sample(peer, 'Good morning');
    peer.answer('roots', () => ({ roots: [{ uri: 'file:///home/ada' }] }));
    const text = await peer.text(PREFIX + 'multiple_inputs', {});
    for (const part of ['Ada', 'Good morning', 'file:///home/ada'])
      check(text.includes(part), `text ${JSON.stringify(text)} lacks ${part}`);
    expectRounds(peer, 'tools/call', 2);
  }),

  feature('input-prompt', { since: SINCE, prompts: [PREFIX + 'prompt'] }, async peer => {
    fillForms(peer, { context: 'a rainy day' });
    const { messages } = await peer.client.getPrompt({ name: PREFIX + 'prompt' });
    check(messages[0].content.text.includes('a rainy day'), `messages are ${JSON.stringify(messages)}`);
    expectRounds(peer, 'prompts/get', 2);
  }),

  feature('input-resource', { since: SINCE, resources: ['test://input-required-resource'] }, async peer => {
    fillForms(peer, { name: 'Ada' });
    const { contents } = await peer.client.readResource({ uri: 'test://input-required-resource' });
    equal(contents[0].text, 'Hello, Ada!', 'text');
    expectRounds(peer, 'resources/read', 2);
  }),

  feature('input-tampered-state', { since: MODERN, tools: [PREFIX + 'tampered_state'] }, async peer => {
    const name = PREFIX + 'tampered_state';
    const first = await peer.callTool({ name, arguments: {} }, { allowInputRequired: true });
    equal(first.resultType, 'input_required', 'resultType');
    check(first.requestState, 'there is no requestState');
    const [key] = Object.keys(first.inputRequests);
    const retry = requestState => {
      const inputResponses = { [key]: { action: 'accept', content: { ok: true } } };
      return peer.callTool({ name, arguments: {}, inputResponses, requestState });
    };
    await refused(retry(first.requestState + '-TAMPERED'), INVALID_PARAMS, 'a changed requestState');
    equal((await retry(first.requestState)).isError ?? false, false, 'isError with the true requestState');
  }),
];
