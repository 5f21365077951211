import { feature } from '../driver/feature.mjs';
import { list } from '../driver/list.mjs';
import { check, equal, refused } from '../driver/run.mjs';

const INVALID_PARAMS = -32602;

/** Gets a prompt and returns what its messages hold; they are all the user's. */
async function contents(peer, name, args) {
  const { messages } = await peer.client.getPrompt({ name, ...(args && { arguments: args }) });
  equal(
    messages.map(m => m.role),
    messages.map(() => 'user'),
    'roles',
  );
  return messages.map(m => m.content);
}

export default [
  feature('prompts-list', { prompts: ['test_simple_prompt', 'test_prompt_with_arguments'] }, async peer => {
    const { items } = await list(peer, 'prompts');
    for (const prompt of items) check(prompt.description, `${prompt.name} has no description`);
    const prompt = items.find(p => p.name === 'test_prompt_with_arguments');
    equal(
      prompt.arguments.map(a => [a.name, a.required]),
      [
        ['arg1', true],
        ['arg2', true],
      ],
      'arguments',
    );
    return { prompts: items.length };
  }),

  feature('prompt-simple', { prompts: ['test_simple_prompt'] }, async peer => {
    equal(
      await contents(peer, 'test_simple_prompt'),
      [{ type: 'text', text: 'This is a simple prompt for testing.' }],
      'messages',
    );
  }),

  feature('prompt-arguments', { prompts: ['test_prompt_with_arguments'] }, async peer => {
    equal(
      await contents(peer, 'test_prompt_with_arguments', { arg1: 'one', arg2: 'two' }),
      [{ type: 'text', text: "Prompt with arguments: arg1='one', arg2='two'" }],
      'messages',
    );
  }),

  feature('prompt-embedded-resource', { prompts: ['test_prompt_with_embedded_resource'] }, async peer => {
    equal(
      await contents(peer, 'test_prompt_with_embedded_resource', { resourceUri: 'test://x' }),
      [
        {
          type: 'resource',
          resource: {
            uri: 'test://x',
            mimeType: 'text/plain',
            text: 'Embedded resource content for testing.',
          },
        },
        { type: 'text', text: 'Please process the embedded resource above.' },
      ],
      'messages',
    );
  }),

  feature('prompt-image', { prompts: ['test_prompt_with_image'] }, async peer => {
    const [image, text] = await contents(peer, 'test_prompt_with_image');
    equal([image.type, image.mimeType], ['image', 'image/png'], 'the image');
    check(Buffer.from(image.data, 'base64').length > 0, 'the image is empty');
    equal(text, { type: 'text', text: 'Please analyze the image above.' }, 'the text');
  }),

  feature('prompt-missing-argument', { prompts: ['test_prompt_with_arguments'] }, async peer => {
    const params = { name: 'test_prompt_with_arguments', arguments: { arg1: 'one' } };
    const error = await refused(peer.client.getPrompt(params), INVALID_PARAMS, 'a call without arg2');
    check(
      error.message.includes('arg2'),
      `message ${JSON.stringify(error.message)} does not name the argument`,
    );
  }),

  feature('prompt-unknown', {}, async peer => {
    await refused(peer.client.getPrompt({ name: 'no_such_prompt' }), INVALID_PARAMS, 'an unknown prompt');
  }),
];
