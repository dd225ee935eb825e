/**
 * Starts a supervisor for tests, and stops it.
 *
 * @packageDocumentation
 */

import { AssertionError } from 'node:assert';
import type { Client } from './client.js';

/** Options of {@link supervisor}. */
export interface SupervisorOptions {
  /** How long the start may take, in milliseconds; 60,000 by default. */
  timeout?: number;
  /** Variables in addition to those of this process. */
  env?: Record<string, string>;
  /** The initializers and processes to run, with everything that they need; by default all. */
  only?: string[];
  /** A directory that is kept, so the next start doesn't repeat the launch initializers that have completed. */
  stateDirectory?: string;
  /** The directory of `initd` and `initctl`; by default they are those in `PATH`. */
  programs?: string;
}

/** The supervisor can't be started, or the app isn't ready. The message says why, with the output of what failed. */
export class StartFailed extends AssertionError {}

/** An app that is ready. */
export class App {
  private constructor();

  /** The path of the supervisor's socket. */
  readonly socket: string;

  /** A client of the supervisor. */
  readonly client: Client;

  /** The environment of a program that needs the app: that of the supervisor, with `INITD_SOCKET`, the ports and the outputs. */
  readonly environment: Record<string, string>;

  /** The number of a port of the manifest. Throws if there is no such port. */
  port(name: string): number;

  /** The output that an initializer had when the app became ready. Throws if it had none. */
  output(name: string): any;

  /** Resolves with what an initializer or a process has written so far. */
  log(name: string): Promise<string>;

  /** Closes the client and stops the supervisor. Resolves when everything has ended. */
  stop(): Promise<void>;

  /** The same as {@link App.stop}, for `await using` in versions of Node that have it. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a supervisor of this manifest, activates the app, and resolves once it is ready.
 *
 * The socket, and by default the state directory, are in a temporary directory, so several supervisors can run at once. If this process ends
 * without {@link App.stop}, however it ends, the supervisor ends, too.
 *
 * @example
 * ```js
 * const app = await supervisor('ci.yaml');
 * after(() => app.stop());
 * ```
 *
 * @throws {@link StartFailed}, an `AssertionError`
 */
export function supervisor(manifest: string | URL, options?: SupervisorOptions): Promise<App>;
