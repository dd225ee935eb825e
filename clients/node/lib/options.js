// The options that a client and a worker share.

import { basename } from 'node:path';

const DEFAULTS = {
  name: basename(process.argv[1] ?? process.execPath),
  version: '0.1.0',
  minDelay: 50,
  maxDelay: 1000,
  log: (line) => process.stderr.write(`appinitializers: ${line}\n`),
};

/** The given options, or a path alone, with defaults for those that are left out. Each but `path` has a default. */
export function complete(given, defaults) {
  const options = { ...DEFAULTS, ...defaults };
  const known = ['path', ...Object.keys(options)];
  for (const [name, value] of Object.entries(typeof given === 'string' ? { path: given } : given)) {
    if (!known.includes(name)) throw new TypeError(`unknown option ${JSON.stringify(name)}; the options are ${known.join(', ')}`);
    if (value !== undefined) options[name] = value;
  }
  return options;
}
