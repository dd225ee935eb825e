// A session: what a program wants of the supervisor for as long as it runs, through as many connections as that takes.

import { NameConflict } from './errors.js';
import { dial, isOutage, isOutageOnceServed } from './dial.js';
import { Backoff, abortable, pause } from './timing.js';

/**
 * Keeps one connection, and opens another when it is lost. `role` says what to do with each:
 *
 * - `begin(connection)` sets it up. An error that another attempt won't cure ends the session.
 * - `lost(reason)` cleans up after a connection that had begun. The next one is opened when that is done.
 * - `leave(connection)` says goodbye, when the session is stopped.
 * - `asked` and `told` get the supervisor's requests and notifications.
 */
export class Session {
  /** Resolves when the session was stopped, and rejects if the supervisor refuses it. */
  finished;
  #options;
  #role;
  #stopping = new AbortController();
  #hasBegun = false;

  constructor(options, role) {
    this.#options = options;
    this.#role = role;
  }

  /** Resolves when the session has begun for the first time, or was stopped before that. Rejects if it can't begin. */
  start() {
    return new Promise((resolve, reject) => {
      this.finished = this.#loop(resolve);
      this.finished.then(resolve, reject);
    });
  }

  /** Says goodbye and closes the connection. Resolves when that is done. */
  async stop() {
    this.#stopping.abort();
    await this.finished;
  }

  get isStopping() {
    return this.#stopping.signal.aborted;
  }

  async #loop(begun) {
    const { signal } = this.#stopping;
    const backoff = new Backoff(this.#options);
    while (!signal.aborted) {
      try {
        const connection = await this.#dial(signal);
        const served = await this.#serve(connection, begun, signal);
        if (signal.aborted) return;
        if (served) backoff.reset();
        await pause(backoff.next(), signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
    }
  }

  #dial(signal) {
    const patience = this.#hasBegun ? Infinity : this.#options.connectTimeout;
    return dial(this.#options, this.#role, { signal, patience, isPassing: this.#hasBegun ? isOutageOnceServed : isOutage });
  }

  /** One connection, from its beginning to its end. Returns whether it had begun. */
  async #serve(connection, begun, signal) {
    try {
      await abortable(this.#role.begin(connection), signal);
    } catch (error) {
      if (signal.aborted) await this.#role.leave(connection);
      await connection.close();
      if (signal.aborted || this.#isPassing(error)) return false;
      throw error;
    }
    this.#hasBegun = true;
    begun();
    const reason = await abortable(connection.ended, signal).catch(() => undefined);
    if (signal.aborted) {
      await this.#role.leave(connection);
      await connection.close();
    } else {
      await this.#role.lost(reason);
    }
    return true;
  }

  #isPassing(error) {
    if (isOutage(error)) return true;
    if (!this.#hasBegun || !(error instanceof NameConflict)) return false;
    // The supervisor hasn't noticed the end of the old connection yet, or another process has taken over.
    this.#options.log(`cannot register again yet: ${error.message}`);
    return true;
  }
}
