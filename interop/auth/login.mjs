// What the clients of both SDKs do at a server that wants tokens. ../auth_sdk_test.go runs them.

import { createPrivateKey, randomUUID } from 'node:crypto';

/**
 * What is asked of a client, as JSON on the command line.
 * @typedef {object} Task
 * @property {string} url the server; over HTTP+SSE if the path ends in /sse
 * @property {string} user the URL of the user: POST an authorization URL to /visit, and the response is the
 *   URL that the user is sent back to, which begins with redirect
 * @property {string} redirect
 * @property {object} [client] client_id and client_secret that the client has been given
 * @property {string} [document] the URL of its metadata document
 * @property {boolean} [dpop] tokens are bound to a key
 * @property {string} [mode] of SDK v2
 * @property {boolean} [forgets] the client does not keep refresh tokens
 * @property {object} [machine] a client without a user: clientId, expectedIssuer and scope, and clientSecret, or privateKey (a JWK)
 *   and algorithm
 */

/** A user's client, which keeps everything in memory. */
export class Provider {
  logins = 0;
  #task;
  #kept = {};
  #state;
  #at;

  /** @param {Task} task */
  constructor(task, dpop) {
    this.#task = task;
    this.#kept.client = task.client;
    if (task.document) this.clientMetadataUrl = task.document;
    if (dpop) this.dpop = () => dpop;
  }

  get redirectUrl() {
    return this.#task.redirect;
  }

  get clientMetadata() {
    return {
      client_name: 'Interop',
      redirect_uris: [this.#task.redirect],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state() {
    this.#state = randomUUID();
    return this.#state;
  }

  clientInformation = () => this.#kept.client;
  saveClientInformation = client => void (this.#kept.client = client);
  tokens = () => this.#kept.tokens;
  saveTokens = ({ refresh_token, ...tokens }) =>
    void (this.#kept.tokens = this.#task.forgets ? tokens : { ...tokens, refresh_token });
  codeVerifier = () => this.#kept.verifier;
  saveCodeVerifier = verifier => void (this.#kept.verifier = verifier);
  saveDiscoveryState = state => void (this.#kept.discovery = state);
  discoveryState = () => this.#kept.discovery;
  redirectToAuthorization = url => void (this.#at = url);

  /** Whether the SDK wants the user to log in. */
  get waits() {
    return this.#at !== undefined;
  }

  /** Sends the user to log in, and returns the parameters that the user comes back with. */
  async login() {
    const response = await fetch(`${this.#task.user}/visit`, { method: 'POST', body: String(this.#at) });
    const back = await response.text();
    this.#at = undefined;
    this.logins++;
    if (!response.ok || !back.startsWith(this.#task.redirect)) throw new Error(`the user ended at ${back}`);
    const params = new URL(back).searchParams;
    if (params.get('state') !== this.#state) throw new Error('the response has another state');
    return params;
  }
}

/**
 * Uses the server, and prints what came of it in a line of JSON.
 * @param {object} sdk what the SDKs spell differently: connect(task, provider) returns a client and its transport,
 *   finish(transport, params) ends a login, machine(task) makes the provider of a client without a user
 */
export async function main(sdk) {
  const task = JSON.parse(process.argv[2]);
  try {
    console.log(JSON.stringify(await use(sdk, task)));
  } catch (error) {
    console.log(JSON.stringify({ error: `${error?.stack ?? error}` }));
  }
  process.exit(0);
}

async function use(sdk, task) {
  const provider = task.machine ? sdk.machine(task) : new Provider(task, task.dpop && (await sdk.dpop()));
  let transport;
  // Runs what may need a login, until it does not.
  const withLogins = async run => {
    for (let left = 3; ; left--) {
      try {
        return await run();
      } catch (error) {
        if (!provider.waits || left === 0) throw error;
        await sdk.finish(transport, await provider.login());
      }
    }
  };
  const client = await withLogins(async () => {
    const [client, made] = sdk.make(task, provider);
    transport = made;
    await client.connect(made);
    return client;
  });
  const texts = [];
  for (const name of ['whoami', 'read', 'write', 'end_tokens', 'read']) {
    const result = await withLogins(() => client.callTool({ name, arguments: {} }));
    if (result.isError) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
    texts.push(result.content[0].text);
  }
  await client.close();
  return { logins: provider.logins ?? 0, texts };
}

/** The private key of a machine as PKCS #8 in PEM. */
export function pem(jwk) {
  return createPrivateKey({ key: jwk, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' });
}
