import { feature } from '../driver/feature.mjs';
import { check } from '../driver/run.mjs';

// The SDKs close the server's stdin, and send SIGTERM after two seconds.
const LIMIT_MS = 1_500;

export default [
  // The last feature of all: there is no connection afterwards.
  feature('close', {}, async peer => {
    await peer.flush();
    const begun = Date.now();
    await peer.client.close();
    const took = Date.now() - begun;
    check(took < LIMIT_MS, `the server took ${took} ms to exit after its stdin was closed`);
    return { ms: took };
  }),
];
