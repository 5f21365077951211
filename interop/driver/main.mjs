// What the drivers do once they know how to connect.

import { features } from '../features/all.mjs';
import { describe, print, run } from './run.mjs';

/**
 * Connects, runs every feature, prints a line for each, and exits: 0 if none failed, 1 if some
 * did, 2 if there is no connection.
 */
export async function main(connect, args) {
  let peer;
  try {
    peer = await connect(args);
  } catch (error) {
    print({ feature: 'connect', ok: false, detail: describe(error) });
    process.exit(2);
  }
  process.exit((await run(peer, features)) === 0 ? 0 : 1);
}
