// Questions to the person, by form and by URL, that stand in the middle of a tool call.

import { feature } from '../driver/feature.mjs';
import { check, equal, refused, until } from '../driver/run.mjs';

const URL_REQUIRED = -32042; // 2025-11-25 alone
const ONLY_2025_11_25 = { since: '2025-11-25', until: '2025-11-25' };
const FORM = 'test_elicitation';
const URL = 'test_elicitation_url';
const DEFAULTS = 'test_elicitation_sep1034_defaults';
const ENUMS = 'test_elicitation_sep1330_enums';

/** Reads what the elicitation tools return: "User response: action=…, content=…". */
function response(text) {
  const found = /^User response: action=(\w+), content=(.*)$/s.exec(text);
  check(found, `text is ${JSON.stringify(text)}`);
  return { action: found[1], content: JSON.parse(found[2]) };
}

async function ask(peer, tool, args, answer) {
  let asked;
  peer.answer('elicitation', params => {
    asked = params;
    return answer;
  });
  const got = response(await peer.text(tool, args));
  return { asked, ...got };
}

export default [
  feature('elicitation-accept', { since: '2025-06-18', tools: [FORM] }, async peer => {
    const content = { username: 'ada', email: 'ada@example.com' };
    const got = await ask(peer, FORM, { message: 'Who are you?' }, { action: 'accept', content });
    equal([got.action, got.content], ['accept', content], 'what the tool got');
    equal(got.asked.message, 'Who are you?', 'message');
    equal(got.asked.requestedSchema.required, ['username', 'email'], 'required');
    equal(Object.keys(got.asked.requestedSchema.properties), ['username', 'email'], 'properties');
  }),

  feature('elicitation-decline', { since: '2025-06-18', tools: [FORM] }, async peer => {
    const got = await ask(peer, FORM, { message: 'Who are you?' }, { action: 'decline' });
    equal([got.action, got.content], ['decline', {}], 'what the tool got');
  }),

  feature('elicitation-cancel', { since: '2025-06-18', tools: [FORM] }, async peer => {
    const got = await ask(peer, FORM, { message: 'Who are you?' }, { action: 'cancel' });
    equal([got.action, got.content], ['cancel', {}], 'what the tool got');
  }),

  // The SDK fills in the defaults of what the answer leaves out.
  feature('elicitation-defaults', { since: '2025-11-25', tools: [DEFAULTS] }, async peer => {
    const got = await ask(peer, DEFAULTS, {}, { action: 'accept', content: {} });
    equal(
      got.content,
      { name: 'John Doe', age: 30, score: 95.5, status: 'active', verified: true },
      'content',
    );
    const { age, score } = got.asked.requestedSchema.properties;
    equal([age.type, score.type], ['integer', 'number'], 'types');
  }),

  feature('elicitation-enums', { since: '2025-11-25', tools: [ENUMS] }, async peer => {
    const content = {
      untitledSingle: 'option1',
      titledSingle: 'value2',
      legacyEnum: 'opt3',
      untitledMulti: ['option1', 'option2'],
      titledMulti: ['value1'],
    };
    const got = await ask(peer, ENUMS, {}, { action: 'accept', content });
    equal(got.content, content, 'content');
    const { untitledSingle, titledSingle, legacyEnum, untitledMulti, titledMulti } =
      got.asked.requestedSchema.properties;
    equal(untitledSingle.enum, ['option1', 'option2', 'option3'], 'untitledSingle.enum');
    equal(titledSingle.oneOf[0], { const: 'value1', title: 'First Option' }, 'titledSingle.oneOf');
    equal(legacyEnum.enumNames.length, legacyEnum.enum.length, 'length of legacyEnum.enumNames');
    equal(untitledMulti.items.enum, ['option1', 'option2', 'option3'], 'untitledMulti.items.enum');
    equal(titledMulti.items.anyOf[0], { const: 'value1', title: 'First Choice' }, 'titledMulti.items.anyOf');
  }),

  feature('elicitation-url', { since: '2025-11-25', tools: [URL] }, async peer => {
    const got = await ask(peer, URL, {}, { action: 'accept' });
    equal([got.action, got.content], ['accept', {}], 'what the tool got');
    equal([got.asked.mode, got.asked.url], ['url', 'https://example.com/authorize'], 'what was asked');
    check(got.asked.message, 'there is no message');
  }),

  feature('elicitation-complete', { ...ONLY_2025_11_25, tools: [URL] }, async peer => {
    const completed = peer.record('notifications/elicitation/complete');
    const got = await ask(peer, URL, {}, { action: 'accept' });
    const { elicitationId } = got.asked;
    check(elicitationId, 'there is no elicitationId');
    // Over HTTP what completes the feature before may come late.
    await until(
      () => completed.items.some(item => item.elicitationId === elicitationId),
      () => `${elicitationId} is not among the completed ${JSON.stringify(completed.items)}`,
    );
  }),

  feature(
    'elicitation-url-required',
    { ...ONLY_2025_11_25, tools: ['test_elicitation_url_required'] },
    async peer => {
      const error = await refused(
        peer.callTool({ name: 'test_elicitation_url_required', arguments: {} }),
        URL_REQUIRED,
        'the call',
      );
      const [first] = error.data.elicitations;
      equal([first.mode, first.url], ['url', 'https://example.com/authorize'], 'the elicitation');
      check(first.message && first.elicitationId, 'the elicitation lacks a message or an elicitationId');
    },
  ),
];
