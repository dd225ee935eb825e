// Checks the arguments of a caller, at the call. Otherwise a misspelled option would count as left out.

/** Returns the given options; missing options count as `{}`. Throws `TypeError` for an unknown option; its message begins with `what`, e.g.
 * "cannot wait". */
export function requireOptions(given = {}, known, what) {
  // Maps, lists and signals have no members to check.
  if (Object.prototype.toString.call(given) !== '[object Object]') throw new TypeError(`${what}: its options are ${kindOf(given)}, not an object with ${known.join(', ')}`);
  for (const name of Object.keys(given)) {
    if (!known.includes(name)) throw new TypeError(`${what}: unknown option ${JSON.stringify(name)}; the options are ${known.join(', ')}`);
  }
  return given;
}

/** Throws `TypeError` unless the value is of this type, or left out. */
export function requireType(value, type, what) {
  if (value !== undefined && typeof value !== type) throw new TypeError(`${what} is ${kindOf(value)}, not a ${type}`);
}

/** Throws `TypeError` unless the value is an array. */
export function requireList(value, what) {
  if (!Array.isArray(value)) throw new TypeError(`${what} are ${kindOf(value)}, not an array`);
}

/** What a value is, in a message. */
export function kindOf(value) {
  if (value === null || value === undefined) return String(value);
  return typeof value === 'object' ? `a value of type ${Object.prototype.toString.call(value).slice(8, -1)}` : `a value of type ${typeof value}`;
}
