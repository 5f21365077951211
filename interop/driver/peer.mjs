// What both drivers know about their connection, whichever SDK it stands on.

import { equal, until } from './run.mjs';
import { MODERN } from './feature.mjs';

/** The notifications that features wait for. */
export const NOTIFICATIONS = [
  'notifications/message',
  'notifications/resources/updated',
  'notifications/resources/list_changed',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/elicitation/complete',
];

/** What the drivers' clients declare. */
export const CAPABILITIES = {
  roots: { listChanged: true },
  sampling: { tools: {} },
  elicitation: { form: { applyDefaults: true }, url: {} },
};

export class Peer {
  /** The SDK's client. */
  client;
  /** The revision that was agreed on. */
  revision;
  /** The messages that were sent. */
  sent = [];
  /** What the SDK reported beside its answers, such as a message that it could not read. */
  complaints = [];
  #recorders = [];
  #answers;
  #sending = new Set();

  /**
   * @param {object} calls what the two SDKs spell differently
   * @param {(params: object, options?: object) => Promise<object>} calls.callTool
   * @param {(request: object, options?: object) => Promise<object>} calls.request any method, any result
   */
  constructor(calls) {
    Object.assign(this, calls);
    this.reset();
  }

  /** Records what a transport sends. Call it before the transport is connected. */
  watch(transport) {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      this.sent.push(message);
      const sending = send(message, options);
      const done = () => this.#sending.delete(sending);
      this.#sending.add(sending);
      sending.then(done, done);
      return sending;
    };
  }

  /** Waits until all that is being sent has been: over HTTP an answer may overtake what it is for. */
  async flush() {
    await Promise.allSettled(this.#sending);
  }

  get modern() {
    return this.revision >= MODERN;
  }

  /** Forgets what the feature before has left. */
  reset() {
    this.sent.length = 0;
    this.complaints.length = 0;
    this.#recorders.length = 0;
    this.#answers = {};
  }

  /** Answers one kind of ask ("roots", "sampling", "elicitation") until the feature ends. */
  answer(kind, respond) {
    this.#answers[kind] = respond;
  }

  /** The SDK's client calls this when the server asks. */
  async asked(kind, params) {
    const respond = this.#answers[kind];
    if (!respond) throw new Error(`the server asked for ${kind}, and no feature expects that`);
    return respond(params ?? {});
  }

  /** The SDK's client calls this for every notification. */
  notified(method, params) {
    for (const r of this.#recorders) if (r.method === method) r.items.push(params);
  }

  /** Collects the params of one kind of notification until the feature ends. */
  record(method) {
    const recorder = { method, items: [] };
    this.#recorders.push(recorder);
    return {
      items: recorder.items,
      reach: n =>
        until(
          () => recorder.items.length >= n,
          () => `got ${recorder.items.length} of ${n} ${method}`,
        ),
    };
  }

  /** The number of requests of a method that were sent since the feature began. */
  count(method) {
    return this.sent.filter(message => message.method === method).length;
  }

  /** Calls a tool and returns the text of its only content block. */
  async text(name, args, options) {
    const result = await this.callTool({ name, ...(args && { arguments: args }) }, options);
    equal(result.isError ?? false, false, `isError of ${name} (${JSON.stringify(result.content)})`);
    equal(
      result.content.map(block => block.type),
      ['text'],
      `content of ${name}`,
    );
    return result.content[0].text;
  }

  /** What the server saw of this client, by its tool test_observed. */
  async observed() {
    return JSON.parse(await this.text('test_observed'));
  }
}
