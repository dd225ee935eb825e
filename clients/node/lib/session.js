// A session: a program's use of the supervisor for as long as the program runs, over any number of connections.

import { dial, isOutageOnceServed } from './dial.js';
import { Backoff, abortable, pause } from './timing.js';

/**
 * Keeps one connection, and opens another connection when it is lost. `role` has the functions for each connection:  
 *
 * - `begin(connection)` sets it up. An error that another attempt won't cure ends the session.
 * - `lost(reason)` cleans up after a connection that had begun. The next connection is opened when that is done.
 * - `leave(connection)` says goodbye, when the session is stopped.
 * - `asked` and `told` get the supervisor's requests and notifications.
 */
export class Session {
  /** Resolves when the session was stopped, and rejects if the supervisor refuses it. */
  finished;
  #options;
  #role;
  #stopping = new AbortController();
  #backoff; // of the connection after a lost one

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

  async #loop(begun) {
    const { signal } = this.#stopping;
    try {
      for (;;) {
        const connection = await this.#dial(signal);
        begun();
        const reason = await abortable(connection.ended, signal).catch(() => undefined);
        if (signal.aborted) return await this.#leave(connection);
        await this.#role.lost(reason);
        this.#backoff = new Backoff(this.#options);
        await pause(this.#backoff.next(), signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #dial(signal) {
    const role = { ...this.#role, begin: (connection) => this.#begin(connection, signal) };
    const first = { signal, patience: this.#options.connectTimeout };
    const again = { signal, patience: Infinity, isPassing: isOutageOnceServed, backoff: this.#backoff };
    return dial(this.#options, role, this.#backoff === undefined ? first : again);
  }

  async #begin(connection, signal) {
    try {
      await abortable(this.#role.begin(connection), signal);
    } catch (error) {
      if (signal.aborted) await this.#leave(connection);
      throw error;
    }
  }

  async #leave(connection) {
    await this.#role.leave(connection);
    await connection.close();
  }
}
