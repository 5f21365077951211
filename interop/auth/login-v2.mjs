// Logs in with the TypeScript SDK v2, and uses a server. See login.mjs.
//
// usage: node login-v2.mjs TASK

import {
  Client,
  ClientCredentialsProvider,
  DpopSession,
  PrivateKeyJwtProvider,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { main, pem } from './login.mjs';

const MODES = { legacy: 'legacy', auto: 'auto', modern: { pin: '2026-07-28' } };

await main({
  make({ url, mode }, authProvider) {
    const Transport = url.endsWith('/sse') ? SSEClientTransport : StreamableHTTPClientTransport;
    return [
      new Client({ name: 'login-v2', version: '1.0.0' }, { versionNegotiation: { mode: MODES[mode] } }),
      new Transport(new URL(url), { authProvider }),
    ];
  },
  finish: (transport, params) => transport.finishAuth(params),
  dpop: () => DpopSession.create(),
  machine({ machine }) {
    if (machine.privateKey) return new PrivateKeyJwtProvider({ ...machine, privateKey: pem(machine.privateKey) });
    return new ClientCredentialsProvider(machine);
  },
});
