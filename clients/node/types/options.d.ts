/** Options that {@link Client} and {@link Worker} share. */
export interface Options {
  /** The socket's path. Default: see {@link socketPath}. */
  path?: string;
  /** This program's name, as status, events and logs show it. Default: the base name of the script, e.g. `shelf.mjs`. */
  name?: string;
  /** This program's version. */
  version?: string;
  /**
   * How long to wait for a supervisor, in milliseconds. 0 makes one attempt. Default: 30,000 for a client, `Infinity` for a worker. It
   * limits requests, and the first connection of a worker, a subscription or a hold. After a loss, these three wait indefinitely.
   */
  connectTimeout?: number;
  /** The first delay between two attempts to connect, in milliseconds, at least 1. Each further delay is twice as long. Default: 50. */
  minDelay?: number;
  /**
   * The longest delay between two attempts, in milliseconds, at least 1. A worker registers again about this long after a supervisor is back. Default:
   * 1,000.
   */
  maxDelay?: number;
  /** Gets messages for people, e.g. when an operation takes long, and the stack of an initializer's error. Default: writes them to standard
   * error. */
  log?: (line: string) => void;
}
