// An output: the value that a run passes to its dependents. JSON.stringify changes or leaves out values that JSON doesn't have. Here such a
// value is an error, which says where it is.

import { kindOf } from './checks.js';

const DEEPEST = 29;
const HALF = /\p{Surrogate}/u;
const PLAIN = new Set(['Object', 'Array']);
const HINTS = { Promise: '; await it', Map: '; use Object.fromEntries(map)', Set: '; use [...set]' };

/** Returns the value that a run's dependents get for `value`. Throws `TypeError` if JSON can't hold it. */
export function copyOutput(value) {
  const places = new Map(); // of each object: its path, its depth, and the object that it is in
  const json = JSON.stringify(value, function check(key, member) {
    const holder = places.get(this);
    const path = holder === undefined ? '' : `${holder.path}${step(this, key)}`;
    const why = fault(this[key], member, Array.isArray(this) || holder === undefined) ?? (HALF.test(key) ? 'the name has an unpaired surrogate, which' : undefined);
    if (why !== undefined) throw new TypeError(refusal(path, `${why} isn't JSON${HINTS[why.split(' ').pop()] ?? ''}`));
    if (member !== null && typeof member === 'object') {
      for (let outer = this, place = holder; place !== undefined; outer = place.outer, place = places.get(outer)) {
        if (outer === member) throw new TypeError(refusal(path, "a cycle isn't JSON"));
      }
      const depth = (holder?.depth ?? 0) + 1;
      if (depth > DEEPEST) throw new TypeError(refusal('', `it is nested more than ${DEEPEST} levels deep; use fewer levels`));
      places.set(member, { path, depth, outer: this });
    }
    return member;
  });
  return JSON.parse(json);
}

function refusal(path, why) {
  return `cannot hand over the output: ${path === '' ? '' : `at ${path}: `}${why}`;
}

/** Returns the reason why a member can't be part of JSON. `given` is the member before its toJSON. An object may leave a member undefined,
 * as everywhere in JavaScript. */
function fault(given, member, isNeeded) {
  if (given instanceof Date && member === null) return 'an invalid Date';
  switch (typeof member) {
    case 'undefined':
      return isNeeded ? 'undefined' : undefined;
    case 'number':
      return Number.isFinite(member) ? undefined : String(member);
    case 'string':
      return HALF.test(member) ? 'a text with an unpaired surrogate' : undefined;
    case 'object': {
      const kind = Object.prototype.toString.call(member).slice(8, -1);
      return member === null || PLAIN.has(kind) ? undefined : kindOf(member);
    }
    case 'boolean':
      return undefined;
    default:
      return kindOf(member); // a function, a symbol, a bigint
  }
}

function step(holder, key) {
  if (Array.isArray(holder)) return `[${key}]`;
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
