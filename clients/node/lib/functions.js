// Checks the functions of initializers: ordinary and async functions are allowed. Other functions would never do their work, and are
// refused.

import { inspect } from 'node:util';
import { kindOf } from './checks.js';

const GENERATORS = new Set(['[object GeneratorFunction]', '[object AsyncGeneratorFunction]']);

/** Throws `TypeError` unless `declared` is a function whose work is done when it returns, or when its promise is settled. */
export function requireRunnable(name, declared) {
  if (typeof declared !== 'function') throw new TypeError(`cannot declare ${name}: ${kindOf(declared)} is not a function`);
  // A bound function keeps the prototype of its target.
  if (GENERATORS.has(Object.prototype.toString.call(declared))) {
    throw new TypeError(`cannot declare ${name}: it is a generator function, which does nothing when it is called; remove its *`);
  }
  if (/^class\b/.test(Function.prototype.toString.call(declared))) {
    throw new TypeError(`cannot declare ${name}: it is a class; pass a function, e.g. (run) => new ${declared.name || 'Service'}().start(run)`);
  }
}

/** Calls the function, and waits until it ends. Returns its result, and throws its error. */
export async function perform(declared, run) {
  const returned = await declared(run);
  if (/ Generator\]$| AsyncGenerator\]$/.test(Object.prototype.toString.call(returned))) {
    throw new TypeError('the function returned a generator, which does nothing until it is iterated; return a promise');
  }
  return returned;
}

/** Returns the text of any thrown value, with its stack and its causes, for a terminal. */
export function stackOf(thrown) {
  try {
    return inspect(thrown);
  } catch {
    return messageOf(thrown);
  }
}

/** Returns the message of any thrown value. */
export function messageOf(thrown) {
  try {
    if (thrown instanceof Error) return String(thrown.message || thrown.name);
    return String(thrown);
  } catch {
    return 'the function threw a value that cannot be shown';
  }
}
