// A hold: the app stays active until it is released.

import { Session } from './session.js';

const RELEASE_TIMEOUT = 1000;

/** A hold has a connection of its own, because a connection can have only one. When that connection is lost, the hold is taken again. */
export class Hold {
  #session;
  #log;

  constructor(options) {
    this.#session = new Session(options, {
      begin: async (connection) => {
        this.pass = (await connection.request('activate', { hold: true })).pass;
      },
      lost: async () => {},
      leave: async (connection) => {
        const late = () => new Error('late');
        // The end of the connection also releases the hold.
        await connection.request('release', undefined, { limit: RELEASE_TIMEOUT, late }).catch(() => {});
      },
    });
    this.#log = options.log;
  }

  /** Resolves when the app is active. `ended` is called at the end. */
  open(ended) {
    let hasBegun = false;
    const begun = this.#session.start().then(() => {
      hasBegun = true;
    });
    this.#session.finished
      .catch((error) => {
        if (hasBegun) this.#log(`cannot hold the app active any more: ${error.message}`);
      })
      .then(ended);
    return begun;
  }

  async release() {
    await this.#session.stop().catch(() => {});
  }
}

if (Symbol.asyncDispose) Hold.prototype[Symbol.asyncDispose] = Hold.prototype.release;
