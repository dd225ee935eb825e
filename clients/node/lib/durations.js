// Durations: milliseconds in this package, as everywhere in Node; seconds in the protocol.

const LONGEST_TIMER = 2 ** 31 - 1;

/** Ranges of durations: of the protocol, of an extension, of a wait that may have no end, and of the delay of a timer. */
export const DURATION = { has: (value) => value >= 0 && value < 1e12, words: 'at least 0 and less than 1e12' };
export const EXTENSION = { has: (value) => value > 0 && value < 1e12, words: 'more than 0 and less than 1e12' };
export const PATIENCE = { has: (value) => value >= 0, words: 'at least 0, or Infinity' };
export const DELAY = { has: (value) => value >= 1 && value <= LONGEST_TIMER, words: 'at least 1 and less than 2^31' };

/**
 * Throws with a message that begins with `what`, e.g. "cannot extend the deadline by": `TypeError` for a value that isn't a number,
 * `RangeError` for one that is out of range.
 */
export function requireMilliseconds(value, what, range = DURATION) {
  if (typeof value === 'number' && range.has(value)) return;
  const Refusal = typeof value === 'number' ? RangeError : TypeError;
  const given = typeof value === 'string' ? JSON.stringify(value) : String(value);
  throw new Refusal(`${what} ${given}: it must be a number of milliseconds, ${range.words}`);
}

/** Returns the protocol's seconds. Throws as `requireMilliseconds` does. */
export function toSeconds(milliseconds, what, range) {
  requireMilliseconds(milliseconds, what, range);
  return milliseconds / 1000;
}

/** Milliseconds, without the last digits that the multiplication makes up. */
export function toMilliseconds(seconds) {
  return Math.round(seconds * 1e6) / 1000;
}

/** Returns a duration as a text for people. */
export function shown(milliseconds) {
  return `${Number((milliseconds / 1000).toFixed(3))} s`;
}
