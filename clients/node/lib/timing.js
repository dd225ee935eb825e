// Delays between attempts, and promises that a signal ends early.

import { setTimeout as sleep } from 'node:timers/promises';

const LONGEST_TIMER = 2 ** 31 - 1;

/** Exponential delays with jitter: each is between half of the nominal delay and all of it. */
export class Backoff {
  #most;
  #next;

  constructor({ minDelay, maxDelay }) {
    this.#most = maxDelay;
    this.#next = minDelay;
  }

  /** The next delay in seconds. */
  next() {
    const delay = this.#next;
    this.#next = Math.min(delay * 2, this.#most);
    return delay * (0.5 + Math.random() / 2);
  }
}

/** A timer that calls after this many seconds. There is none if they are more than a timer can count. */
export function after(seconds, call) {
  return seconds * 1000 <= LONGEST_TIMER ? setTimeout(call, seconds * 1000) : undefined;
}

/** Waits this many seconds. Rejects when the signal is aborted. */
export function pause(seconds, signal) {
  return sleep(seconds * 1000, undefined, { signal });
}

/** The outcome of `promise`, or a rejection with the signal's reason as soon as that is aborted. It leaves no listener behind. */
export function abortable(promise, signal) {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
