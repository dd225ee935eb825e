import { EventEmitter } from 'node:events';
import type { ConnectionLost, ProtocolError } from './errors.js';
import type { Options } from './options.js';
import type { Json, Word } from './values.js';

/** The options of a {@link Worker}. */
export interface WorkerOptions extends Options {
  /**
   * How long a worker that ends waits for its cancelled functions, in milliseconds. After that it disconnects, and the supervisor counts
   * their runs as lost. Default: 4,500; the supervisor itself waits 5 s.
   */
  cancelGrace?: number;
}

/** How often and when a failed run is retried. */
export interface RetryPolicy {
  /** The maximum number of attempts, including the first one. Default: 1. */
  attempts?: number;
  /** The delay after the first attempt, in milliseconds. Default: 1,000. */
  delay?: number;
  /** Each further delay is this many times as long. Default: 2. */
  factor?: number;
  /** The longest delay, in milliseconds. Default: 30,000. */
  maxDelay?: number;
}

/** A declaration. An option that is left out comes from the supervisor's manifest if that declares the name; otherwise it has the default.
 * */
export interface InitializerOptions {
  /** `appLaunch` (the default): it runs once, at launch. `appActive`: it runs each time the app becomes active. */
  priority?: 'appLaunch' | 'appActive';
  /** The names of the initializers that must complete first. */
  dependencies?: string[];
  /** How long an attempt may take, in milliseconds. Default: no limit. */
  timeout?: number;
  /** A number of attempts, or a policy. */
  retry?: number | RetryPolicy;
  /** The effect is only in this process's memory: it runs again if another process takes over the name. */
  perProcess?: boolean;
  /** A failure of the initializer doesn't stop the pass. */
  optional?: boolean;
  /** The description of the initializer, for people. */
  description?: string;
}

/**
 * The work of an initializer. The run succeeds if the function returns or its promise resolves. It fails with the message of a thrown
 * error, whose stack goes to {@link Options.log}. The returned value isn't the output: the short form of an arrow function returns a value
 * that may not be meant as output. A line says so once.
 */
export type InitializerFunction = (run: Run) => unknown;

/** One attempt to execute one initializer. */
export interface Run {
  /** The run's number: unique for the life of the supervisor. */
  readonly number: number;
  /** The initializer's name. */
  readonly initializer: string;
  /** The number of the run's pass. */
  readonly pass: number;
  /** The phase of the run's pass. */
  readonly phase: Word<'launch' | 'active'>;
  /** The number of the attempt; 1 for the first one. */
  readonly attempt: number;
  /** The timeout in milliseconds, if the run has one. */
  readonly timeout: number | undefined;
  /** The fencing token of an initializer that runs once for a release: pass it to the database, which can then refuse a late writer. */
  readonly fence: number | undefined;
  /** The run as a span of its pass's trace: a W3C trace context, for the headers of requests. */
  readonly traceparent: string | undefined;
  /** The outputs of the initializer's dependencies, by name. */
  readonly inputs: Record<string, any>;
  /**
   * Aborted when the run is cancelled, with a {@link Cancelled}. Pass it on to `fetch`, timers and streams, or call
   * `run.signal.throwIfAborted()` between two steps. A cancelled run is answered when the function has ended; the result doesn't count.
   */
  readonly signal: AbortSignal;
  /**
   * Reports progress: a fraction from 0 to 1, a message, or both. A lower or higher fraction counts as 0 or 1. A fraction that is no
   * number, e.g. NaN, is ignored; the first one in a run is logged.
   */
  progress(fraction: number, message?: string): void;
  progress(message: string): void;
  /**
   * Moves the deadline to this many milliseconds from now.
   *
   * @throws `RangeError` unless it is more than 0 and less than 1e12; `TypeError` if it is no number
   */
  extend(milliseconds: number): void;
  /**
   * Sets the output, any JSON value of at most 64 KiB, for the initializers that depend on this one. Only the last output counts, and only
   * if the run succeeds. The supervisor may set another limit, `outputBytes`.
   *
   * @param options - `secret`: the supervisor never logs it
   * @throws `TypeError` if JSON can't hold the value, e.g. NaN, a Map or a cycle: the message says where in the value. It fails the run unless
   *   you catch it. Members of an object that are undefined are left out.
   */
  output(value: Json, options?: { secret?: boolean }): void;
}

/** The events of a worker. */
export interface WorkerEvents {
  /** The names are registered, for the first time or again. */
  registered: [names: string[]];
  /** The connection was lost. The runs are cancelled next; the worker registers again when they have stopped. */
  lost: [reason: ConnectionLost | ProtocolError];
  /** A run was answered. */
  answered: [run: Run];
}

/**
 * Provides initializers: functions that the supervisor runs when their turn comes.
 *
 * @example
 * ```js
 * const worker = new Worker({ name: 'shelf-worker' });
 * worker.initializer('catalogue', async (run) => {
 *   const answer = await fetch('https://example.com/catalogue', { signal: run.signal });
 *   run.output(await answer.json());
 * });
 * await worker.run();
 * ```
 */
export class Worker extends EventEmitter {
  /**
   * @param options - the options, or the socket's path alone
   * @throws `TypeError` for an unknown option or a value of the wrong type; `RangeError` for a duration out of range
   */
  constructor(options?: WorkerOptions | string);

  /**
   * Declares a function as the initializer `name`. It may be async.
   *
   * @throws `TypeError` for a generator, a class, or anything that isn't a function, and for an unknown option, a wrong name, or a value of the
   *   wrong type; `RangeError` for a number out of range; `Error` for a name that is declared twice, and while the worker runs
   */
  initializer(name: string, work: InitializerFunction): this;
  initializer(name: string, options: InitializerOptions, work: InitializerFunction): this;

  /**
   * Connects, registers and runs, and again after a lost connection. SIGTERM, SIGINT and {@link Worker.stop} end the worker: it
   * unregisters, cancels its runs, and answers each run that stops. It resolves when all have stopped, or after {@link
   * WorkerOptions.cancelGrace}. A function that still runs then isn't stopped: call `process.exit()` if it keeps the process alive. A
   * second signal ends the process at once.
   *
   * @param options - `signals: false` leaves the signals to you
   * @throws {@link NameConflict} and other {@link RequestError}s if the supervisor refuses the registration
   */
  run(options?: { signals?: boolean }): Promise<void>;

  /** Ends the worker: resolves when {@link Worker.run} does, see there. A worker that is stopped before it runs never connects. */
  stop(): Promise<void>;

  on<Name extends keyof WorkerEvents>(event: Name, listener: (...values: WorkerEvents[Name]) => void): this;
  once<Name extends keyof WorkerEvents>(event: Name, listener: (...values: WorkerEvents[Name]) => void): this;
  off<Name extends keyof WorkerEvents>(event: Name, listener: (...values: WorkerEvents[Name]) => void): this;
}
