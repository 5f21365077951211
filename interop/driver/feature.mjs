// A feature is one thing that both sides of a connection have: what it needs, and how to use it.

/**
 * @param {string} name as the table in interop_test.go names it
 * @param {object} needs
 * @param {string} [needs.since] first revision that has it
 * @param {string} [needs.until] last revision that has it
 * @param {string[]} [needs.tools] names that the server must list
 * @param {string[]} [needs.prompts] likewise
 * @param {string[]} [needs.resources] URIs that the server must list
 * @param {string[]} [needs.templates] URI templates that the server must list
 * @param {(peer: import('./peer.mjs').Peer) => Promise<unknown>} run throws what is wrong; returns
 *   what is worth printing
 */
export function feature(name, needs, run) {
  return { name, since: '2024-11-05', until: '2026-07-28', ...needs, run };
}

/** Since when a session is opened by nobody and every request carries what the server must know. */
export const MODERN = '2026-07-28';

/** The last revision with a session. */
export const LAST_LEGACY = '2025-11-25';
