import { feature } from '../driver/feature.mjs';
import { equal } from '../driver/run.mjs';

const PROMPT = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
const TEMPLATE = { type: 'ref/resource', uri: 'test://template/{id}/data' };

async function complete(peer, ref, name, value, context) {
  const { completion } = await peer.client.complete({
    ref,
    argument: { name, value },
    ...(context && { context }),
  });
  return completion.values;
}

export default [
  feature('completion-prompt', { prompts: [PROMPT.name] }, async peer => {
    equal(await complete(peer, PROMPT, 'arg1', 'pa'), ['paris', 'park', 'party'], 'completions of pa');
    equal(await complete(peer, PROMPT, 'arg1', 'paris'), ['paris'], 'completions of paris');
    equal(await complete(peer, PROMPT, 'arg1', 'test'), [], 'completions of test');
  }),

  feature('completion-context', { since: '2025-06-18', prompts: [PROMPT.name] }, async peer => {
    equal(
      await complete(peer, PROMPT, 'arg2', '', { arguments: { arg1: 'paris' } }),
      ['paris-1', 'paris-2'],
      'completions',
    );
  }),

  feature('completion-template', { templates: [TEMPLATE.uri] }, async peer => {
    equal(await complete(peer, TEMPLATE, 'id', '12'), ['12', '123'], 'completions of 12');
  }),
];
