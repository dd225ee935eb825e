// The options that a client and a worker share.

import { basename } from 'node:path';
import { requireOptions, requireType } from './checks.js';
import { DELAY, PATIENCE, requireMilliseconds } from './durations.js';

const DEFAULTS = {
  name: basename(process.argv[1] ?? process.execPath),
  version: '0.1.0',
  minDelay: 50,
  maxDelay: 1000,
  log: (line) => process.stderr.write(`appinitializers: ${line}\n`),
};
const TYPES = { path: 'string', name: 'string', version: 'string', log: 'function' };
const RANGES = { connectTimeout: PATIENCE, cancelGrace: PATIENCE, minDelay: DELAY, maxDelay: DELAY };

/**
 * Returns the given options, or a path alone, with defaults for missing options. Each but `path` has a default. Throws for values that
 * can't be used; the message begins with `what`, e.g. "cannot make a client".
 */
export function complete(given, defaults, what) {
  const options = { ...DEFAULTS, ...defaults };
  const chosen = requireOptions(typeof given === 'string' ? { path: given } : given, ['path', ...Object.keys(options)], what);
  for (const [name, value] of Object.entries(chosen)) if (value !== undefined) options[name] = value;
  for (const [name, type] of Object.entries(TYPES)) requireType(options[name], type, `${what}: its ${name}`);
  for (const [name, range] of Object.entries(RANGES)) {
    if (name in options) requireMilliseconds(options[name], `${what} with a ${name} of`, range);
  }
  return options;
}
