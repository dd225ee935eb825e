// A subscription: the supervisor's events as an async iterator.

import { Session } from './session.js';

/** How many events may be unread before the connection is paused. The supervisor then queues, and after that sends `lagged`. */
const QUEUED = 1000;

/**
 * A subscription has a connection of its own, so a slow reader doesn't delay the answers of its client. Each connection begins with a
 * snapshot. Another snapshot follows when events were missed. So one rule is enough for a reader: replace the state at each `snapshot`.
 */
export class Subscription {
  #session;
  #signal;
  #connection;
  #queue = [];
  #read = 0;
  #readers = [];
  #end; // { error } once no event follows

  constructor(options, topics, signal) {
    this.topics = topics;
    this.#signal = signal;
    this.#session = new Session(options, {
      begin: (connection) => this.#begin(connection),
      lost: async () => {},
      leave: async () => {},
      told: ({ method, params }) => {
        if (method === 'event') this.#put(params);
      },
    });
  }

  /** Resolves when the first snapshot has arrived. `ended` is called at the end. */
  open(ended) {
    const begun = this.#session.start();
    const abort = () => void this.#close({ error: this.#signal.reason });
    this.#signal?.addEventListener('abort', abort, { once: true });
    this.#session.finished
      .then(
        () => this.#finish({}),
        (error) => this.#finish({ error }),
      )
      .then(() => {
        this.#signal?.removeEventListener('abort', abort);
        ended();
      });
    return begun;
  }

  async next() {
    if (this.#read < this.#queue.length) return { value: this.#take(), done: false };
    if (this.#end === undefined) {
      return new Promise((resolve, reject) => {
        this.#readers.push({ resolve, reject });
      });
    }
    const { error } = this.#end;
    this.#end = {};
    if (error !== undefined) throw error;
    return { value: undefined, done: true };
  }

  async return(value) {
    await this.close();
    return { value, done: true };
  }

  close() {
    return this.#close({});
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  async #begin(connection) {
    this.#connection = connection;
    const params = this.topics.length > 0 ? { topics: this.topics } : {};
    await connection.request('subscribe', params, { then: ({ snapshot }) => this.#put({ topic: 'snapshot', snapshot }) });
  }

  #put(event) {
    if (event.topic === 'snapshot') this.snapshot = event.snapshot;
    const reader = this.#readers.shift();
    if (reader !== undefined) return reader.resolve({ value: event, done: false });
    this.#queue.push(event);
    if (this.#queue.length - this.#read >= QUEUED) this.#connection.pause();
  }

  #take() {
    const event = this.#queue[this.#read];
    this.#read += 1;
    if (this.#read === this.#queue.length) {
      this.#queue = [];
      this.#read = 0;
      this.#connection.resume();
    }
    return event;
  }

  async #close(end) {
    this.#queue = [];
    this.#read = 0;
    this.#finish(end);
    await this.#session.stop().catch(() => {});
  }

  #finish(end) {
    this.#end ??= end;
    for (const { resolve, reject } of this.#readers.splice(0)) this.next().then(resolve, reject);
  }
}

if (Symbol.asyncDispose) Subscription.prototype[Symbol.asyncDispose] = Subscription.prototype.close;
