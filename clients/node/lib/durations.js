// Durations: milliseconds in this package, as everywhere in Node; seconds in the protocol.

const LIMIT = 1e12;

/** The protocol's seconds. Throws `RangeError`, in the name of `what`, e.g. "cannot extend the deadline by", for what it refuses. */
export function toSeconds(milliseconds, what) {
  if (!(typeof milliseconds === 'number' && milliseconds >= 0 && milliseconds < LIMIT)) {
    throw new RangeError(`${what} ${String(milliseconds)}: it must be a number of milliseconds, at least 0 and less than 1e12`);
  }
  return milliseconds / 1000;
}

/** Milliseconds, without the last digits that the multiplication makes up. */
export function toMilliseconds(seconds) {
  return Math.round(seconds * 1e6) / 1000;
}

/** A duration in a line for people. */
export function shown(milliseconds) {
  return `${Number((milliseconds / 1000).toFixed(3))} s`;
}
