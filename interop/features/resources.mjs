import { feature } from '../driver/feature.mjs';
import { list } from '../driver/list.mjs';
import { check, equal, refused } from '../driver/run.mjs';

const INVALID_PARAMS = -32602;
const RESOURCE_NOT_FOUND = -32002; // up to 2025-11-25

export default [
  feature(
    'resources-list',
    { resources: ['test://static-text', 'test://static-binary', 'test://watched-resource'] },
    async peer => {
      const { items } = await list(peer, 'resources');
      for (const resource of items)
        check(
          resource.name && resource.description && resource.mimeType,
          `${resource.uri} lacks a name, description or mimeType`,
        );
      check(!items.some(resource => resource.uri.includes('{')), 'a template is among the resources');
      return { resources: items.length };
    },
  ),

  feature('resource-text', { resources: ['test://static-text'] }, async peer => {
    const { contents } = await peer.client.readResource({ uri: 'test://static-text' });
    equal(
      contents,
      [
        {
          uri: 'test://static-text',
          mimeType: 'text/plain',
          text: 'This is the content of the static text resource.',
        },
      ],
      'contents',
    );
  }),

  feature('resource-binary', { resources: ['test://static-binary'] }, async peer => {
    const { contents } = await peer.client.readResource({ uri: 'test://static-binary' });
    equal(
      [contents.length, contents[0].uri, contents[0].mimeType],
      [1, 'test://static-binary', 'image/png'],
      'contents',
    );
    equal(Buffer.from(contents[0].blob, 'base64').subarray(1, 4).toString(), 'PNG', 'the first bytes');
  }),

  feature('resource-templates-list', { templates: ['test://template/{id}/data'] }, async peer => {
    const { items } = await list(peer, 'templates');
    const template = items.find(t => t.uriTemplate === 'test://template/{id}/data');
    check(template.name && template.description, 'the template lacks a name or description');
    equal(template.mimeType, 'application/json', 'mimeType');
  }),

  feature('resource-template', { templates: ['test://template/{id}/data'] }, async peer => {
    const { contents } = await peer.client.readResource({ uri: 'test://template/123/data' });
    equal(
      [contents[0].uri, contents[0].mimeType],
      ['test://template/123/data', 'application/json'],
      'contents',
    );
    equal(JSON.parse(contents[0].text), { id: '123', templateTest: true, data: 'Data for ID: 123' }, 'text');
  }),

  feature('resource-unknown', {}, async peer => {
    const uri = 'test://nonexistent-resource';
    const code = peer.resourceNotFound ?? (peer.modern ? INVALID_PARAMS : RESOURCE_NOT_FOUND);
    const error = await refused(peer.client.readResource({ uri }), code, 'an unknown resource');
    equal(error.data, { uri }, 'data of the error');
  }),
];
