// Logs in with the TypeScript SDK v1, and uses a server. See login.mjs.
//
// usage: node login-v1.mjs TASK

import { ClientCredentialsProvider, PrivateKeyJwtProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { main, pem } from './login.mjs';

await main({
  make({ url }, authProvider) {
    const Transport = url.endsWith('/sse') ? SSEClientTransport : StreamableHTTPClientTransport;
    return [
      new Client({ name: 'login-v1', version: '1.0.0' }),
      new Transport(new URL(url), { authProvider }),
    ];
  },
  finish: (transport, params) => transport.finishAuth(params.get('code')),
  machine: ({ machine }) =>
    machine.privateKey
      ? new PrivateKeyJwtProvider({ ...machine, privateKey: pem(machine.privateKey) })
      : new ClientCredentialsProvider(machine),
});
