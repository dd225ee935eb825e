// A test with a time limit, so that one that hangs is reported by its name.

import { test as unlimited } from 'node:test';

export function test(name, options, body) {
  return typeof options === 'function' ? test(name, {}, options) : unlimited(name, { timeout: 10_000, ...options }, body);
}
