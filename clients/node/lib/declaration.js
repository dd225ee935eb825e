// A declaration: the attributes that a worker registers for a name. It is checked in the call that declares it, so the error's stack leads
// there.

import { kindOf, requireList, requireOptions, requireType } from './checks.js';
import { toSeconds } from './durations.js';

const NAME = /^[A-Za-z0-9][\w.:/@+-]{0,127}$/;
const NAMES = 'a name has 1 to 128 ASCII letters, digits, or one of ._:/@+-, and begins with a letter or digit';
const MEMBERS = ['priority', 'dependencies', 'timeout', 'retry', 'perProcess', 'optional', 'description'];
const TYPES = { perProcess: 'boolean', optional: 'boolean', description: 'string' };
const RETRY = ['attempts', 'delay', 'factor', 'maxDelay'];
const PRIORITIES = ['appLaunch', 'appActive'];

/** Returns the protocol's declaration of `name`. Throws for values that the supervisor would refuse, and for options that it would ignore.
 * */
export function declaration(name, given) {
  requireName(name);
  const what = `cannot declare ${name}`;
  const options = requireOptions(given, MEMBERS, what);
  for (const [member, type] of Object.entries(TYPES)) requireType(options[member], type, `${what}: its ${member}`);
  const { priority, dependencies, timeout, retry } = options;
  if (priority !== undefined && !PRIORITIES.includes(priority)) {
    throw new TypeError(`${what} with a priority of ${shown(priority)}: it must be ${PRIORITIES.map(shown).join(' or ')}`);
  }
  if (dependencies !== undefined) requireDependencies(dependencies, what);
  return { name, ...options, timeout: seconds(timeout, `${what} with a timeout of`), retry: policy(retry, what) };
}

function requireName(name) {
  if (typeof name !== 'string') throw new TypeError(`cannot declare an initializer: its name is ${kindOf(name)}, not a string`);
  if (!NAME.test(name)) throw new TypeError(`cannot declare ${shown(name)}: ${NAMES}`);
}

function requireDependencies(names, what) {
  requireList(names, `${what}: its dependencies`);
  names.forEach((name, index) => {
    if (typeof name !== 'string' || !NAME.test(name)) throw new TypeError(`${what} with a dependency on ${shown(name)}: ${NAMES}`);
    if (names.indexOf(name) < index) throw new TypeError(`${what}: it depends on ${name} twice; remove one`);
  });
}

function policy(retry, what) {
  if (retry === undefined) return undefined;
  const given = requireOptions(typeof retry === 'number' ? { attempts: retry } : retry, RETRY, `${what} with this retry`);
  const { attempts, factor } = given;
  if (attempts !== undefined && !(Number.isSafeInteger(attempts) && attempts >= 1)) {
    throw new RangeError(`${what} with ${shown(attempts)} attempts: it must be a whole number, at least 1`);
  }
  if (factor !== undefined && !(Number.isFinite(factor) && factor >= 1)) {
    throw new RangeError(`${what} with a factor of ${shown(factor)}: it must be a number, at least 1`);
  }
  const [delay, maxDelay] = ['delay', 'maxDelay'].map((member) => seconds(given[member], `${what} with a ${member} of`));
  return { ...given, delay, maxDelay };
}

function seconds(milliseconds, what) {
  return milliseconds === undefined ? undefined : toSeconds(milliseconds, what);
}

function shown(value) {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
