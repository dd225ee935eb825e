// A worker: functions that the supervisor runs when their turn comes.
//
// Rule 1. Each run is answered once: with success if its function ends, with its message if it throws, and with `cancelled` if the run was
//         cancelled, whatever the function does then.
// Rule 2. A run is answered when its function has ended. After a lost connection, the worker registers again only when all have ended, so no
//         function runs twice at once in this process.
// Rule 3. A worker that was told to end does so within the cancel grace, even if its functions don't stop.

import { EventEmitter } from 'node:events';
import { requireOptions } from './checks.js';
import { declaration } from './declaration.js';
import { shown } from './durations.js';
import { CANCELLED, FrameTooLarge, INVALID_PARAMS, METHOD_NOT_FOUND, RUN_FAILED } from './errors.js';
import { messageOf, perform, requireRunnable, stackOf } from './functions.js';
import { readable } from './messages.js';
import { complete } from './options.js';
import { Run } from './run.js';
import { Session } from './session.js';
import { abortable, after } from './timing.js';

const CANCEL_GRACE = 4500; // The supervisor itself waits 5 s.
const UNREGISTER_TIMEOUT = 1000;
const QUIET = 1000;
const AWAKE = 2 ** 30;
const OUTPUT_LIMIT = 'An output has at most 64 KiB as JSON, unless the supervisor sets its limit outputBytes; write it to a file, and hand over its path';
const SIGNALS = ['SIGTERM', 'SIGINT'];

export class Worker extends EventEmitter {
  #options;
  #functions = new Map();
  #declarations = [];
  #runs = new Set();
  #idle = [];
  #ignored = new Set(); // names whose returned values are known to be ignored
  #session;
  #isStopped = false;
  #isLeaving = false;
  #grace = new AbortController(); // aborted when a worker that ends waits no longer

  constructor(options) {
    super();
    this.#options = complete(options, { connectTimeout: Infinity, cancelGrace: CANCEL_GRACE }, 'cannot make a worker');
  }

  initializer(name, options, declared) {
    if (arguments.length < 3) [options, declared] = [{}, options];
    const checked = declaration(name, options);
    if (this.#session !== undefined) throw new Error(`cannot declare ${name}: the worker is running; declare it before run()`);
    if (this.#functions.has(name)) throw new Error(`cannot declare ${name}: two initializers have this name; rename one of them`);
    requireRunnable(name, declared);
    this.#declarations.push(checked);
    this.#functions.set(name, declared);
    return this;
  }

  async run(options) {
    const { signals = true } = requireOptions(options, ['signals'], 'cannot run the worker');
    if (this.#session !== undefined) throw new Error('cannot run the worker: it has been run before');
    if (this.#functions.size === 0) throw new Error('cannot run the worker: it has no initializer; declare one with initializer()');
    if (this.#isStopped) return;
    this.#session = new Session(this.#options, {
      begin: (connection) => this.#register(connection),
      leave: (connection) => this.#leave(connection),
      lost: (reason) => this.#lost(reason),
      asked: (request, connection) => this.#asked(request, connection),
      told: (notification) => this.#told(notification),
    });
    let isEnding = false;
    const caught = (name) => {
      if (isEnding) return endAsIfUncaught(name);
      isEnding = true;
      void this.stop();
    };
    const release = () => SIGNALS.forEach((name) => process.off(name, caught));
    if (signals) SIGNALS.forEach((name) => process.on(name, caught));
    try {
      await this.#session.start();
      await this.#session.finished;
    } finally {
      release();
    }
  }

  async stop() {
    this.#isStopped = true;
    const timer = after(this.#options.cancelGrace, () => this.#grace.abort());
    await this.#session?.stop().catch(() => {}); // An error is run()'s to throw.
    clearTimeout(timer);
  }

  // The session

  async #register(connection) {
    await connection.request('register', { initializers: this.#declarations }, {
      then: () => this.emit('registered', [...this.#functions.keys()]),
    });
  }

  async #leave(connection) {
    const { signal } = this.#grace;
    const late = () => new Error('late');
    const names = [...this.#functions.keys()];
    const unregister = connection.request('unregister', { names }, { signal, limit: UNREGISTER_TIMEOUT, late });
    // The supervisor reads the request before the answers of these runs.
    this.#isLeaving = true;
    this.#cancelAll('unregistered');
    await unregister.catch(() => {});
    await this.#stopped(); // Further runs may have come before the answer.
    if (signal.aborted) connection.destroy(); // A farewell would take longer than the grace.
  }

  async #lost(reason) {
    this.emit('lost', reason);
    this.#cancelAll('lost');
    await this.#stopped();
  }

  #cancelAll(reason) {
    for (const run of this.#runs) Run.cancel(run, reason);
  }

  /** Resolves when no function runs, or after the cancel grace of a worker that ends. */
  async #stopped() {
    if (this.#runs.size === 0) return;
    const { cancelGrace, log } = this.#options;
    const names = () => [...this.#runs].map((run) => run.initializer).join(', ');
    const notice = setTimeout(() => log(`waiting for ${names()} to stop`), QUIET);
    const awake = setInterval(() => {}, AWAKE); // Functions that never end and have no handle would let the process end here.
    const idle = new Promise((resolve) => {
      this.#idle.push(resolve);
    });
    await abortable(idle, this.#grace.signal).catch(() => log(`gave up waiting for ${names()} to stop, after ${shown(cancelGrace)}`));
    clearTimeout(notice);
    clearInterval(awake);
  }

  // The runs

  #asked({ id, method, params }, connection) {
    if (method !== 'run') return connection.refuse(id, METHOD_NOT_FOUND, `unknown method ${readable(method)}`);
    const declared = this.#functions.get(params.initializer);
    if (declared === undefined || !Number.isSafeInteger(params.run)) {
      return connection.refuse(id, INVALID_PARAMS, `cannot run ${readable(params.initializer)}: this worker has no such initializer`);
    }
    const run = new Run(connection, params, this.#options.log);
    this.#runs.add(run);
    if (this.#isLeaving) Run.cancel(run, 'unregistered'); // The run has crossed the request to unregister.
    void this.#execute(run, declared, id, connection);
  }

  #told({ method, params }) {
    if (method !== 'cancel') return;
    for (const run of this.#runs) if (run.number === params.run) Run.cancel(run, params.reason);
  }

  async #execute(run, declared, id, connection) {
    let failure;
    let returned;
    try {
      await null; // All messages that have arrived are handled first, e.g. a cancel.
      if (!run.signal.aborted) returned = await perform(declared, run);
    } catch (thrown) {
      failure = { thrown };
    }
    this.#runs.delete(run);
    if (connection.isOpen) {
      this.#answer(run, failure, id, connection);
      this.#tell(run, failure, returned);
      this.emit('answered', run);
    }
    if (this.#runs.size === 0) this.#idle.splice(0).forEach((resolve) => resolve());
  }

  #answer(run, failure, id, connection) {
    if (run.signal.aborted) return connection.refuse(id, CANCELLED, 'cancelled');
    if (failure !== undefined) return connection.refuse(id, RUN_FAILED, readable(messageOf(failure.thrown)));
    try {
      connection.answer(id, Run.result(run));
    } catch (error) {
      const why = error instanceof FrameTooLarge ? `${error.message}. ${OUTPUT_LIMIT}` : error.message;
      connection.refuse(id, RUN_FAILED, `cannot hand over the output: ${why}`); // Rule 1
    }
  }

  /** Logs an outcome that only this process knows, because the run has ended without a cancellation. */
  #tell(run, failure, returned) {
    if (run.signal.aborted) return;
    const { log } = this.#options;
    if (failure !== undefined) return log(`${run.initializer} failed in run ${run.number}: ${stackOf(failure.thrown)}`);
    if (returned === undefined || 'output' in Run.result(run) || this.#ignored.has(run.initializer)) return;
    this.#ignored.add(run.initializer);
    log(`${run.initializer}: the returned value is ignored; hand it over with run.output(value)`);
  }
}

/** Ends this process by the signal, even if other parts of the program catch it. */
function endAsIfUncaught(name) {
  process.removeAllListeners(name);
  process.kill(process.pid, name);
}
