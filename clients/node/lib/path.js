// The path of the supervisor's socket.

import { join } from 'node:path';
import { NoSupervisor } from './errors.js';

const LONGEST = process.platform === 'linux' ? 107 : 103;

export function socketPath(path, env = process.env) {
  const chosen = path ?? defaultPath(env);
  if (typeof chosen !== 'string') throw new TypeError(`cannot use the socket's path: it is a value of type ${typeof chosen}, not a string`);
  const length = Buffer.byteLength(chosen);
  // If a path is too long, Node would connect to its first part.
  if (length > LONGEST) {
    throw new NoSupervisor(`cannot use the socket ${chosen}: its path has ${length} bytes, and the system allows ${LONGEST}; use a shorter one`);
  }
  // Node reads bytes of the environment that aren't UTF-8 as U+FFFD.
  if (chosen === '' || /[\0\ufffd]/.test(chosen)) {
    throw new NoSupervisor(`cannot use the socket ${JSON.stringify(chosen)}: it must be a path in UTF-8`);
  }
  return chosen;
}

function defaultPath(env) {
  if (env.INITD_SOCKET) return env.INITD_SOCKET;
  if (env.XDG_RUNTIME_DIR) return join(env.XDG_RUNTIME_DIR, 'initd.sock');
  if (process.geteuid?.() === 0) return '/run/initd.sock';
  throw new NoSupervisor('cannot find the supervisor: no socket path is given; pass a path, or set INITD_SOCKET or XDG_RUNTIME_DIR');
}
