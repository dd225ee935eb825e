// A run: one attempt to execute one initializer.

import { setMaxListeners } from 'node:events';
import { inspect } from 'node:util';
import { requireOptions, requireType } from './checks.js';
import { EXTENSION, toMilliseconds, toSeconds } from './durations.js';
import { Cancelled } from './errors.js';
import { readable } from './messages.js';
import { copyOutput } from './output.js';

/** What an initializer's function gets. */
export class Run {
  #connection;
  #controller = new AbortController();
  #result = {};
  #log;
  #hasToldWrong = false; // that a fraction is no number

  constructor(connection, params, log) {
    this.#connection = connection;
    this.#log = log;
    this.number = params.run;
    this.initializer = params.initializer;
    this.pass = params.pass;
    this.phase = params.phase;
    this.attempt = params.attempt;
    this.timeout = params.timeout === undefined ? undefined : toMilliseconds(params.timeout);
    this.fence = params.fence;
    this.traceparent = params.traceparent;
    this.inputs = params.inputs ?? {};
    setMaxListeners(0, this.#controller.signal); // Each fetch of a function may add a listener.
  }

  get signal() {
    return this.#controller.signal;
  }

  progress(fraction, message) {
    if (typeof fraction === 'string') return this.progress(undefined, fraction);
    const report = { fraction: this.#fraction(fraction), message: message === undefined ? undefined : readable(message) };
    if (report.fraction !== undefined || report.message !== undefined) this.#report(report);
  }

  extend(milliseconds) {
    this.#report({ extend: toSeconds(milliseconds, 'cannot extend the deadline by', EXTENSION) });
  }

  output(value, options) {
    const { secret = false } = requireOptions(options, ['secret'], 'cannot hand over the output');
    requireType(secret, 'boolean', 'cannot hand over the output: secret');
    const output = copyOutput(value);
    this.#result = secret ? { output, secret } : { output };
  }

  /** The fraction from 0 to 1. A report that can't be sent never fails a run. */
  #fraction(fraction) {
    if (fraction === undefined) return undefined;
    if (typeof fraction === 'number' && !Number.isNaN(fraction)) return Math.min(Math.max(fraction, 0), 1);
    if (!this.#hasToldWrong) this.#log(`${this.initializer}: run ${this.number} reports a fraction that is no number, which is ignored: ${inspect(fraction)}`);
    this.#hasToldWrong = true;
    return undefined;
  }

  #report(report) {
    // While the supervisor doesn't read, reports would fill the memory. If a report is left out, the next report replaces it.
    if (this.#connection.isFull && report.extend === undefined) return;
    if (!this.signal.aborted && this.#connection.isOpen) this.#connection.notify('progress', { run: this.number, ...report });
  }

  /** Tells the function to stop. */
  static cancel(run, reason) {
    run.#controller.abort(new Cancelled(`${run.initializer} was cancelled: ${reason}`, reason));
  }

  /** The result of a run that has succeeded. */
  static result(run) {
    return run.#result;
  }
}
