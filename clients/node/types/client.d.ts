import type { Options } from './options.js';
import type { Activated, Event, History, Initializer, Launched, LogLine, Reloaded, State, Status, Topic } from './shapes.js';
import type { Word } from './values.js';

/** Options of every method that may wait. */
export interface Abortable {
  /** When the signal is aborted, the method rejects with its reason. The supervisor isn't told: it may execute the request. */
  signal?: AbortSignal;
}

/**
 * A client of a supervisor, with one method for each request.
 *
 * The client connects with the first request, and again with the next request after a lost connection. A request that finds no supervisor
 * waits for one, up to {@link Options.connectTimeout}, then rejects with {@link NoSupervisor}. A request whose connection is lost rejects
 * with {@link ConnectionLost}, and is never sent twice. A refused request rejects with a {@link RequestError}, and an unknown option with a
 * `TypeError`.
 *
 * An open client keeps the process alive: call {@link Client.close}.
 *
 * @example
 * ```js
 * const client = new Client();
 * await client.activate();
 * console.log((await client.wait('ready', { timeout: 30_000 })).state);
 * await client.close();
 * ```
 */
export class Client {
  /**
   * @param options - the options, or the socket's path alone
   * @throws `TypeError` for an unknown option or a value of the wrong type; `RangeError` for a duration out of range
   */
  constructor(options?: Options | string);

  /** Connects now, instead of with the first request. Resolves with this client. */
  connect(options?: Abortable): Promise<this>;

  /** The supervisor's name and version, once there was a connection. */
  readonly server: { name: string; version: string } | undefined;

  /** Identifies the execution of the supervisor that the last connection was made to. */
  readonly instance: string | undefined;

  /** Sends any request of the protocol, e.g. a request that has no method here yet. Resolves with the result of the request. Durations in
   * both are in seconds. */
  request(method: string, params?: Record<string, unknown>, options?: Abortable): Promise<any>;

  /** Sends `params`; resolves with the same object from the supervisor. */
  ping<Params extends Record<string, unknown>>(params?: Params, options?: Abortable): Promise<Params>;

  /** The complete state at one moment, as in the protocol: durations are in seconds, times in seconds since the Unix epoch. */
  status(options?: Abortable): Promise<Status>;

  /** Starts the launch pass, joins a running one, or retries a failed one. Doesn't wait for the pass. */
  launch(options?: Abortable): Promise<Launched>;

  /** Makes the app active, and starts or joins an active pass. Doesn't wait for the pass: {@link Client.wait} for its number. */
  activate(options?: Abortable): Promise<Activated>;

  /** Makes the app inactive, and ends all holds. Resolves with the names of the cancelled runs; with `wait`, once they have stopped. */
  deactivate(options?: Abortable & { wait?: boolean }): Promise<string[]>;

  /**
   * Waits for `ready` (the default), `launch`, `active` or `composite`, for an initializer, or for a pass. A state `failed` or `cancelled`
   * is also a result.
   *
   * @param options - `timeout` in milliseconds, else it may wait indefinitely; `appear` accepts an initializer that isn't declared yet
   * @throws {@link TimedOut} after the timeout, at the latest 5 s later if the supervisor doesn't answer; {@link UnknownInitializer};
   *   {@link ShuttingDown}
   */
  wait(
    what?: Word<'ready' | 'launch' | 'active' | 'composite'> | { initializer: Initializer['name'] } | { pass: number },
    options?: Abortable & { timeout?: number; appear?: boolean },
  ): Promise<State>;

  /**
   * Runs initializers again, all or none; with `withDependents` also their dependents, which otherwise become stale. Resolves with the
   * numbers of the passes. Doesn't wait for them: {@link Client.wait} for each.
   *
   * @throws {@link Inactive} for an active initializer while the app is inactive; {@link NotRunning} for one that `--only` or `--skip` leaves
   * out; {@link UnknownInitializer}
   */
  rerun(names: string[], options?: Abortable & { withDependents?: boolean }): Promise<number[]>;

  /**
   * Cancels the runs of initializers, as their timeouts would, all or none: each run has failed, and isn't retried. Resolves with the names
   * of the cancelled initializers once their runs have stopped.
   *
   * @throws {@link NotRunning} for a name that neither runs nor waits for its next attempt; {@link UnknownInitializer}
   */
  cancel(names: string[], options?: Abortable): Promise<string[]>;

  /** Removes initializers that have no live provider, all or none. */
  unregister(names: string[], options?: Abortable): Promise<void>;

  /**
   * Makes the supervisor read its configuration again, and apply the differences. Resolves with the differences. Doesn't wait for the
   * passes.
   *
   * @param options - `dryRun` changes nothing; `withDependents` also runs what depends on something that runs again, which is stale otherwise
   * @throws {@link InvalidManifest} or {@link UnreadableManifest} if nothing has changed because of mistakes
   */
  reload(options?: Abortable & { dryRun?: boolean; withDependents?: boolean }): Promise<Reloaded>;

  /** The last lines of output of commands, the oldest first: of one initializer, or of all. */
  logs(options?: Abortable & { initializer?: string; limit?: number }): Promise<LogLine[]>;

  /** The last passes with their runs, the newest last. */
  history(options?: Abortable & {
    limit?: number;
    pass?: number;
    phase?: 'launch' | 'active';
    inFlight?: boolean;
    summaries?: boolean;
    usual?: boolean;
  }): Promise<History>;

  /** Shuts the supervisor down. Resolves when that has begun. */
  shutdown(options?: Abortable): Promise<void>;

  /**
   * Subscribes to topics; without any, to `launch`, `active` and `composite`. Resolves when the first snapshot has arrived, so no later
   * event is missed.
   *
   * @param options - `signal` also ends the subscription later: the loop over it throws the reason
   */
  subscribe(topics?: Topic[], options?: Abortable): Promise<Subscription>;

  /**
   * Makes the app active, and keeps it active until the hold is released. Doesn't wait for the pass: {@link Client.wait} for
   * {@link Hold.pass}. A lost connection ends the hold at the supervisor; the hold is taken again as soon as one answers.
   *
   * @param scope - a function; the hold is released when it has ended, even if it throws. Without it, call {@link Hold.release}, or
   *   write `await using hold = await client.hold()`.
   * @param options - `signal` ends the wait for the hold, and has no effect once it has been taken
   */
  hold<Result>(scope: (hold: Hold) => Result | Promise<Result>, options?: Abortable): Promise<Result>;
  hold(options?: Abortable): Promise<Hold>;

  /** Ends the subscriptions and holds, and closes the connection. Open requests reject with {@link ConnectionClosed}. */
  close(): Promise<void>;

  /** Closes the client like {@link Client.close}, if the runtime has `Symbol.asyncDispose`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Keeps the app active until it is released. It has a connection of its own. */
export interface Hold {
  /** The number of the active pass that the hold started or joined last. */
  readonly pass: number;
  /** Releases it. Without another hold or activation, the app is then inactive. */
  release(): Promise<void>;
  /** The same as {@link Hold.release}. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * The events of one subscription, in order. A subscription has a connection of its own, so a slow reader delays nothing else.
 *
 * The first event is a `snapshot`. When the reader was too slow, `lagged` and a `snapshot` come. After a lost connection it subscribes
 * again automatically, and a `snapshot` comes. So replace your state at each `snapshot`.
 *
 * @example
 * ```js
 * for await (const event of await client.subscribe(['pass'])) {
 *   if (event.topic === 'snapshot') console.log(event.snapshot.composite.state);
 *   else if (event.topic === 'pass') console.log(event.pass, event.status);
 * }
 * ```
 */
export interface Subscription extends AsyncIterableIterator<Event> {
  /** The topics as given. */
  readonly topics: Topic[];
  /** The latest snapshot that has arrived. */
  readonly snapshot: Status;
  /** Ends the subscription. An iteration also ends; leaving a `for await` loop does the same. */
  close(): Promise<void>;
  /** The same as {@link Subscription.close}. */
  [Symbol.asyncDispose](): Promise<void>;
}
