// Opens a connection: resolves the path, waits for a supervisor if there is none yet, and says hello.

import { connect } from 'node:net';
import { Connection } from './connection.js';
import { shown } from './durations.js';
import { ConnectionLost, LimitExceeded, NameConflict, NoSupervisor, ProtocolError, ShuttingDown } from './errors.js';
import { PROTOCOL } from './messages.js';
import { socketPath } from './path.js';
import { Backoff, pause } from './timing.js';

const HELLO_TIMEOUT = 10_000;
const QUIET = 1000;

/** Errors of `connect` that waiting doesn't cure. */
const FINAL = new Set(['EACCES', 'EPERM']);

/**
 * Returns a connection after hello and `role.begin`, with `server`, `instance` and `pid`. Waits up to `patience` ms for a supervisor, and
 * tells people once: after a second, or at once if the peer isn't initd. Throws the last attempt's error, e.g. `NoSupervisor`, or the
 * signal's reason.
 */
export async function dial(options, role, { signal, patience, isPassing = isOutage, backoff = new Backoff(options) }) {
  const path = socketPath(options.path);
  const begun = performance.now();
  const left = () => patience - (performance.now() - begun);
  let latest;
  let noticed = false;
  let wasStranger = false;
  const tell = () => {
    clearTimeout(notice);
    noticed = true;
    options.log(`waiting for a supervisor at ${path}: ${latest?.message ?? 'it has not answered yet'}`);
  };
  const notice = setTimeout(tell, QUIET);
  try {
    for (;;) {
      signal?.throwIfAborted();
      try {
        const limit = patience > 0 ? Math.min(HELLO_TIMEOUT, left()) : HELLO_TIMEOUT;
        const connection = await attempt(path, options, role, { signal, limit });
        if (noticed) options.log(`connected to the supervisor at ${path}`);
        return connection;
      } catch (error) {
        signal?.throwIfAborted();
        const delay = backoff.next();
        if (!isPassing(error) || delay > left()) throw error;
        latest = error;
        if (error instanceof ProtocolError && !wasStranger) {
          wasStranger = true;
          tell();
        }
        await pause(delay, signal);
      }
    }
  } finally {
    clearTimeout(notice);
  }
}

/** Returns whether another attempt may succeed, because the supervisor is starting, ending or full. */
export function isOutage(error) {
  if (error instanceof NoSupervisor) return !FINAL.has(error.cause?.code);
  return error instanceof ConnectionLost || error instanceof ShuttingDown || (error instanceof LimitExceeded && error.limit === 'connections');
}

/**
 * Returns the same for a program that was connected before. A program that holds the socket now may also end. A conflict of names may end
 * too: the supervisor hasn't noticed yet that the old connection has ended, or another process has taken over.
 */
export function isOutageOnceServed(error) {
  return isOutage(error) || error instanceof ProtocolError || error instanceof NameConflict;
}

async function attempt(path, options, role, { signal, limit }) {
  const connection = new Connection(await connected(path, signal), role);
  try {
    await greet(connection, path, options, { signal, limit });
    await role.begin?.(connection);
    return connection;
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

async function greet(connection, path, { name, version }, { signal, limit }) {
  const late = () => new NoSupervisor(`cannot connect to ${path}: no answer to hello within ${shown(Math.round(limit / 100) * 100)}; check that initd isn't stopped`);
  const hello = await connection.request('hello', { protocol: PROTOCOL, client: { name, version } }, { signal, limit, late });
  const { server, instance, pid, limits } = hello ?? {};
  if (typeof instance !== 'string' || !Number.isInteger(limits?.frameBytes)) {
    throw new ProtocolError('cannot read the answer to hello: it has no instance or no limits.frameBytes');
  }
  connection.frameLimit = limits.frameBytes;
  Object.assign(connection, { server, instance, pid });
}

function connected(path, signal) {
  return new Promise((resolve, reject) => {
    const socket = connect({ path });
    const abort = () => {
      socket.destroy();
      reject(signal.reason);
    };
    const settle = (finish, value) => {
      signal?.removeEventListener('abort', abort);
      socket.removeAllListeners();
      finish(value);
    };
    socket.once('connect', () => settle(resolve, socket));
    socket.once('error', (error) => settle(reject, new NoSupervisor(`cannot connect to ${path}: ${reasons[error.code] ?? error.message}`, { cause: error })));
    signal?.addEventListener('abort', abort, { once: true });
  });
}

const reasons = {
  ENOENT: 'there is no such socket; start initd',
  ECONNREFUSED: 'no supervisor listens there; start initd',
  EACCES: "permission denied; run as the supervisor's user, or see initd --socket-mode",
  EAGAIN: 'too many clients are connecting at once',
};
