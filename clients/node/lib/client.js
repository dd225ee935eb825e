// A client: one method for each request of the protocol.

import { dial } from './dial.js';
import { shown, toSeconds } from './durations.js';
import { ConnectionClosed, InitdError, TIMED_OUT, TimedOut, likeness } from './errors.js';
import { Hold } from './hold.js';
import { complete } from './options.js';
import { Subscription } from './subscription.js';
import { abortable } from './timing.js';

const CONNECT_TIMEOUT = 30_000;
/** How long after its timeout the answer to `wait` may come. */
const MARGIN = 5000;

export class Client {
  #options;
  #connection;
  #connecting;
  #closing = new AbortController();
  #kept = new Set();

  constructor(options = {}) {
    this.#options = complete(options, { connectTimeout: CONNECT_TIMEOUT });
  }

  async connect({ signal } = {}) {
    await this.#open(signal);
    return this;
  }

  get server() {
    return this.#connection?.server;
  }

  get instance() {
    return this.#connection?.instance;
  }

  request(method, params, { signal } = {}) {
    return this.#request(method, params, { signal });
  }

  ping(params, options) {
    return this.request('ping', params, options);
  }

  status(options) {
    return this.request('status', undefined, options);
  }

  launch(options) {
    return this.request('launch', undefined, options);
  }

  activate(options) {
    return this.request('activate', undefined, options);
  }

  async deactivate({ wait = false, signal } = {}) {
    return (await this.request('deactivate', { wait }, { signal })).cancelled;
  }

  async wait(what = 'ready', { timeout, appear, signal } = {}) {
    const condition = typeof what === 'string' ? { for: what } : what;
    if (timeout === undefined) return this.request('wait', { ...condition, appear }, { signal });
    const params = { ...condition, timeout: toSeconds(timeout, 'cannot wait with a timeout of'), appear };
    const why = `the supervisor has not answered ${shown(MARGIN)} after the timeout of ${shown(timeout)}; check that initd isn't stopped`;
    const late = () => new TimedOut(TIMED_OUT, `timed out waiting: ${why}`, { code: 'timeout' });
    return this.#request('wait', params, { signal, limit: timeout + MARGIN, late });
  }

  async unregister(names, options) {
    requireList(names, 'unregister: the names are');
    await this.request('unregister', { names }, options);
  }

  async logs({ initializer, limit, signal } = {}) {
    return (await this.request('logs', { initializer, limit }, { signal })).lines;
  }

  history({ signal, ...params } = {}) {
    return this.request('history', params, { signal });
  }

  async shutdown(options) {
    await this.request('shutdown', undefined, options);
  }

  async subscribe(topics = [], { signal } = {}) {
    requireList(topics, 'subscribe: the topics are');
    const subscription = new Subscription(this.#options, topics, signal);
    await this.#keep(subscription, () => subscription.close(), signal);
    return subscription;
  }

  async hold(scope, options) {
    if (typeof scope !== 'function') [scope, options] = [undefined, options ?? scope];
    const hold = new Hold(this.#options);
    await this.#keep(hold, () => hold.release(), options?.signal);
    if (scope === undefined) return hold;
    try {
      return await scope(hold);
    } finally {
      await hold.release();
    }
  }

  async close() {
    this.#closing.abort(new ConnectionClosed('the client was closed'));
    await Promise.all([this.#connection?.close(), ...[...this.#kept].map((end) => end())]);
  }

  /** Connects, sends the request, and waits for its answer. */
  async #request(method, params, options) {
    try {
      const connection = await this.#open(options.signal);
      return await connection.request(method, params, options);
    } catch (error) {
      throw traced(error);
    }
  }

  /** Opens something with a connection of its own, which ends with the client. */
  async #keep(part, end, signal) {
    signal?.throwIfAborted();
    this.#requireOpen();
    this.#kept.add(end);
    try {
      await abortable(part.open(() => this.#kept.delete(end)), signal);
    } catch (error) {
      void end();
      throw traced(error);
    }
    this.#requireOpen();
  }

  async #open(signal) {
    signal?.throwIfAborted();
    this.#requireOpen();
    if (this.#connection?.isOpen) return this.#connection;
    this.#connecting ??= this.#dial().finally(() => {
      this.#connecting = undefined;
    });
    const connected = this.#connecting.catch((error) => {
      throw likeness(error); // Other requests wait for the same connection.
    });
    return abortable(connected, signal);
  }

  #requireOpen() {
    if (this.#closing.signal.aborted) throw likeness(this.#closing.signal.reason);
  }

  async #dial() {
    const { signal } = this.#closing;
    this.#connection = await dial(this.#options, {}, { signal, patience: this.#options.connectTimeout });
    return this.#connection;
  }
}

function requireList(value, what) {
  if (!Array.isArray(value)) throw new TypeError(`cannot ${what} a value of type ${typeof value}, not an array`);
}

/** The error with the caller's lines in its stack, instead of those that read the answer. */
function traced(error) {
  if (error instanceof InitdError) Error.captureStackTrace(error, traced);
  return error;
}

if (Symbol.asyncDispose) Client.prototype[Symbol.asyncDispose] = Client.prototype.close;
