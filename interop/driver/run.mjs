// Runs features against one connected server and prints one line of JSON for each.

import { isDeepStrictEqual } from 'node:util';
import { list } from './list.mjs';

const FEATURE_TIMEOUT_MS = 15_000;

/** Runs all features that the peer's revision has. Returns the number of those that failed. */
export async function run(peer, features) {
  const offered = await offers(peer);
  let failed = 0;
  for (const f of features) {
    if (peer.revision < f.since || peer.revision > f.until) continue;
    const lack = missing(f, offered);
    if (lack) {
      print({ feature: f.name, ok: false, skip: lack });
      continue;
    }
    peer.reset();
    try {
      const detail = await within(FEATURE_TIMEOUT_MS, f.run(peer), f.name);
      if (peer.complaints.length > 0) throw new Error(`the SDK complained: ${peer.complaints.join('; ')}`);
      print({ feature: f.name, ok: true, detail });
    } catch (error) {
      failed++;
      print({ feature: f.name, ok: false, detail: describe(error) });
    }
  }
  return failed;
}

export function print(line) {
  process.stdout.write(JSON.stringify(line) + '\n');
}

/** One line about anything that was thrown. */
export function describe(error) {
  const code = error?.code === undefined ? '' : ` (code ${error.code})`;
  return `${error?.message ?? error}${code}`.replaceAll('\n', ' ').slice(0, 500);
}

// What the server lists; a list that cannot be had is left out, so that every feature that needs
// it says itself what is wrong.
async function offers(peer) {
  const has = peer.client.getServerCapabilities() ?? {};
  const offered = {};
  const ask = async (kind, property, capability) => {
    if (!capability) {
      offered[kind] = [];
      return;
    }
    try {
      offered[kind] = (await list(peer, kind)).items.map(item => item[property]);
    } catch {
      delete offered[kind];
    }
  };
  await ask('tools', 'name', has.tools);
  await ask('prompts', 'name', has.prompts);
  await ask('resources', 'uri', has.resources);
  await ask('templates', 'uriTemplate', has.resources);
  return offered;
}

function missing(f, offered) {
  for (const kind of ['tools', 'prompts', 'resources', 'templates']) {
    const lack = (f[kind] ?? []).find(name => offered[kind] && !offered[kind].includes(name));
    if (lack) return `the server lists no ${lack} among its ${kind}`;
  }
  return undefined;
}

async function within(ms, promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Throws unless the two are equal, member by member. */
export function equal(got, want, what) {
  if (!isDeepStrictEqual(got, want)) {
    throw new Error(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
  }
}

/** Throws unless the condition holds. */
export function check(condition, what) {
  if (!condition) throw new Error(what);
}

/** Returns the error that a promise is rejected with; throws if it is not, or with another code. */
export async function refused(promise, code, what) {
  let value;
  try {
    value = await promise;
  } catch (error) {
    check(error.code === code, `${what}: got error ${describe(error)}, want code ${code}`);
    return error;
  }
  throw new Error(`${what}: got ${JSON.stringify(value)}, want an error with code ${code}`);
}

export const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

/** Waits until the condition holds. */
export async function until(condition, what, ms = 5_000) {
  const end = Date.now() + ms;
  while (!(await condition())) {
    check(Date.now() < end, `${what()} after ${ms} ms`);
    await sleep(10);
  }
}
