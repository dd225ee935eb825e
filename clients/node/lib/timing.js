// Delays between attempts, and promises that a signal ends early. All times are in milliseconds.

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

  /** Returns the next delay. */
  next() {
    const delay = this.#next;
    this.#next = Math.min(delay * 2, this.#most);
    return delay * (0.5 + Math.random() / 2);
  }
}

/** Returns a timer that calls after this delay. There is none if the delay is longer than a timer can count. */
export function after(delay, call) {
  return delay <= LONGEST_TIMER ? setTimeout(call, delay) : undefined;
}

/** Waits. Rejects when the signal is aborted. */
export function pause(delay, signal) {
  return sleep(delay, undefined, { signal });
}

/** Returns the outcome of `promise`, or rejects with the signal's reason as soon as that is aborted. It leaves no listener behind. */
export function abortable(promise, signal) {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
