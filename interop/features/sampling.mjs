import { feature } from '../driver/feature.mjs';
import { equal } from '../driver/run.mjs';

export default [
  feature('sampling', { tools: ['test_sampling'] }, async peer => {
    let asked;
    peer.answer('sampling', params => {
      asked = params;
      return {
        role: 'assistant',
        model: 'a-model',
        stopReason: 'endTurn',
        content: { type: 'text', text: 'Forty-two.' },
      };
    });
    equal(
      await peer.text('test_sampling', { prompt: 'Six times seven?' }),
      'LLM response: Forty-two.',
      'text',
    );
    equal(asked.maxTokens, 100, 'maxTokens');
    equal([asked.messages.length, asked.messages[0].role], [1, 'user'], 'messages');
    equal([asked.messages[0].content].flat(), [{ type: 'text', text: 'Six times seven?' }], 'content');
  }),

  feature('sampling-tools', { since: '2025-11-25', tools: ['test_sampling_tools'] }, async peer => {
    let asked;
    peer.answer('sampling', params => {
      asked = params;
      const use = { type: 'tool_use', id: 'call-1', name: 'get_weather', input: { city: 'Oslo' } };
      return { role: 'assistant', model: 'a-model', stopReason: 'toolUse', content: [use] };
    });
    equal(await peer.text('test_sampling_tools', {}), 'LLM wants get_weather {"city":"Oslo"}', 'text');
    equal(
      asked.tools.map(tool => tool.name),
      ['get_weather'],
      'tools',
    );
    equal(asked.toolChoice, { mode: 'required' }, 'toolChoice');
  }),
];
