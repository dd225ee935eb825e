// Declares a test with a time limit, so a hanging test is reported by its name. The file also has a limit, because a test may keep its
// process alive.

import { test as unlimited } from 'node:test';

const FILE_LIMIT = 60_000;

setTimeout(() => {
  console.error(`not ended after ${FILE_LIMIT / 1000} s`);
  process.exit(1);
}, FILE_LIMIT).unref();

export function test(name, options, body) {
  return typeof options === 'function' ? test(name, {}, options) : unlimited(name, { timeout: 10_000, ...options }, body);
}
