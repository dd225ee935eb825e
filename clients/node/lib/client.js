// A client: one method for each request of the protocol.

import { requireList, requireOptions } from './checks.js';
import { dial } from './dial.js';
import { shown, toSeconds } from './durations.js';
import { ConnectionClosed, InitdError, TIMED_OUT, TimedOut, likeness } from './errors.js';
import { Hold } from './hold.js';
import { complete } from './options.js';
import { Subscription } from './subscription.js';
import { abortable } from './timing.js';

const CONNECT_TIMEOUT = 30_000;
/** How much later than its timeout the answer to `wait` may arrive. */
const MARGIN = 5000;
const HISTORY = ['limit', 'pass', 'phase', 'inFlight', 'summaries', 'usual'];

export class Client {
  #options;
  #connection;
  #connecting;
  #closing = new AbortController();
  #kept = new Set();

  constructor(options) {
    this.#options = complete(options, { connectTimeout: CONNECT_TIMEOUT }, 'cannot make a client');
  }

  async connect(options) {
    const { signal } = requireOptions(options, ['signal'], 'cannot connect');
    await this.#open(signal);
    return this;
  }

  get server() {
    return this.#connection?.server;
  }

  get instance() {
    return this.#connection?.instance;
  }

  async request(method, params, options) {
    const { signal } = requireOptions(options, ['signal'], `cannot request ${method}`);
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

  async deactivate(options) {
    const { wait = false, signal } = requireOptions(options, ['wait', 'signal'], 'cannot deactivate');
    return (await this.request('deactivate', { wait }, { signal })).cancelled;
  }

  async wait(what = 'ready', options) {
    const { timeout, appear, signal } = requireOptions(options, ['timeout', 'appear', 'signal'], 'cannot wait');
    const condition = typeof what === 'string' ? { for: what } : requireOptions(what, ['initializer', 'pass'], 'cannot wait for this');
    if (timeout === undefined) return this.request('wait', { ...condition, appear }, { signal });
    const params = { ...condition, timeout: toSeconds(timeout, 'cannot wait with a timeout of'), appear };
    const why = `the supervisor has not answered ${shown(MARGIN)} after the timeout of ${shown(timeout)}; check that initd isn't stopped`;
    const late = () => new TimedOut(TIMED_OUT, `timed out waiting: ${why}`, { code: 'timeout' });
    return this.#request('wait', params, { signal, limit: timeout + MARGIN, late });
  }

  async rerun(names, options) {
    requireList(names, 'cannot rerun: the names');
    const { withDependents = false, signal } = requireOptions(options, ['withDependents', 'signal'], 'cannot rerun');
    return (await this.request('rerun', { initializers: names, withDependents }, { signal })).passes;
  }

  async cancel(names, options) {
    requireList(names, 'cannot cancel: the names');
    return (await this.request('cancelRun', { initializers: names }, options)).cancelled;
  }

  async unregister(names, options) {
    requireList(names, 'cannot unregister: the names');
    await this.request('unregister', { names }, options);
  }

  async reload(options) {
    const { dryRun = false, withDependents = false, signal } = requireOptions(options, ['dryRun', 'withDependents', 'signal'], 'cannot reload');
    return this.request('reload', { dryRun, withDependents }, { signal });
  }

  async logs(options) {
    const { initializer, limit, signal } = requireOptions(options, ['initializer', 'limit', 'signal'], 'cannot read the logs');
    const pages = await this.#pages('logs', { initializer, limit }, signal);
    return pages.flatMap((page) => page.lines);
  }

  async history(options) {
    const { signal, ...params } = requireOptions(options, [...HISTORY, 'signal'], 'cannot read the history');
    const pages = await this.#pages('history', params, signal);
    return pages.reduce((older, newer) => {
      const history = { ...newer, passes: joined(older.passes, newer.passes, 'runs') };
      if (newer.summaries) history.summaries = joined(older.summaries, newer.summaries, 'initializers');
      return history;
    });
  }

  /** Requests all pages of an answer, and returns them without their positions: the oldest first. */
  async #pages(method, params, signal) {
    const pages = [];
    let following = params;
    while (following) {
      const { more, before, ...page } = await this.request(method, following, { signal });
      pages.unshift(page);
      following = more && { ...params, usual: undefined, before };
    }
    return pages;
  }

  async shutdown(options) {
    await this.request('shutdown', undefined, options);
  }

  async subscribe(topics = [], options) {
    const { signal } = requireOptions(options, ['signal'], 'cannot subscribe');
    requireList(topics, 'cannot subscribe: the topics');
    const subscription = new Subscription(this.#options, topics, signal);
    await this.#keep(subscription, () => subscription.close(), signal);
    return subscription;
  }

  async hold(scope, options) {
    if (typeof scope !== 'function') [scope, options] = [undefined, options ?? scope];
    const { signal } = requireOptions(options, ['signal'], 'cannot hold the app active');
    const hold = new Hold(this.#options);
    await this.#keep(hold, () => hold.release(), signal);
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

/** Returns the passes of two pages. The first newer one may have only its last elements: the others are in the last older one. */
function joined(older, newer, elements) {
  const [last, first] = [older.at(-1), newer[0]];
  if (!last || !first || last.pass !== first.pass || last.instance !== first.instance) return [...older, ...newer];
  return [...older.slice(0, -1), { ...first, [elements]: [...last[elements], ...first[elements]] }, ...newer.slice(1)];
}

/** Returns the error with the caller's lines in its stack, instead of the lines of the code that read the answer. */
function traced(error) {
  if (error instanceof InitdError) Error.captureStackTrace(error, traced);
  return error;
}

if (Symbol.asyncDispose) Client.prototype[Symbol.asyncDispose] = Client.prototype.close;
