// An authorization server on oidc-provider, which is certified for OpenID Connect. It prints its issuers in a
// line of JSON, and ends when it is interrupted.
//
// usage: node provider.mjs OPTIONS
//
// OPTIONS is JSON: clients (as in a registration), documents (metadata documents of clients, by their URLs). There
// are two servers: one has the root of its host, the other is a tenant, whose issuer has a path.
//
// Users log in by any name, at pages of oidc-provider. The resources are any on loopback. The last segment of the
// path says what their tokens are: "opaque", or a JWT that is signed by the algorithm of that name, else by ES256.

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { errors, Provider } from 'oidc-provider';

const { clients = [], documents = {} } = JSON.parse(process.argv[2] ?? '{}');

const KEYS = {
  RS256: ['rsa', { modulusLength: 2048 }],
  ES256: ['ec', { namedCurve: 'P-256' }],
  EdDSA: ['ed25519', {}],
};

const keys = Object.entries(KEYS).map(([alg, [type, options]]) => ({
  ...generateKeyPairSync(type, options).privateKey.export({ format: 'jwk' }),
  kid: `key of ${alg}`,
  use: 'sig',
  alg,
}));

const SCOPE = 'notes:read notes:write';

// The tokens of a resource: see RFC 8707 and RFC 9068.
function resourceServer(_ctx, resource) {
  const url = new URL(resource);
  if (url.hostname !== '127.0.0.1') throw new errors.InvalidTarget();
  const name = url.pathname.split('/').pop();
  const common = { scope: SCOPE, audience: resource, accessTokenTTL: 600 };
  if (name === 'opaque') return { ...common, accessTokenFormat: 'opaque' };
  return { ...common, accessTokenFormat: 'jwt', jwt: { sign: { alg: name in KEYS ? name : 'ES256' } } };
}

const configuration = {
  clients,
  jwks: { keys },
  cookies: { keys: [randomBytes(32).toString('hex')] },
  clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
  features: {
    clientCredentials: { enabled: true },
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => true },
    introspection: { enabled: true },
    registration: { enabled: true },
    resourceIndicators: { enabled: true, getResourceServerInfo: resourceServer },
    revocation: { enabled: true },
  },
  // Metadata documents are on hosts that nothing but this knows.
  fetch: async url => {
    const document = documents[url];
    return document ? Response.json(document) : new Response(null, { status: 404 });
  },
};

/** Starts a server whose issuer has a path, which may be empty, and returns the issuer. */
async function listen(path) {
  const server = createServer();
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${server.address().port}${path}`;
  const handle = new Provider(issuer, configuration).callback();
  server.on('request', (request, response) => {
    if (path && !request.url.startsWith(`${path}/`)) {
      response.writeHead(404).end();
      return;
    }
    request.originalUrl = request.url;
    request.url = request.url.slice(path.length);
    handle(request, response);
  });
  return issuer;
}

console.log(JSON.stringify([await listen(''), await listen('/tenant')]));
