import assert from 'node:assert/strict';
import { DELAY, EXTENSION, PATIENCE, requireMilliseconds, shown, toMilliseconds, toSeconds } from '../lib/durations.js';
import { test } from './support/test.js';

test('milliseconds become seconds, and seconds milliseconds', () => {
  assert.deepEqual([0, 1, 70, 5000, 0.5].map((each) => toSeconds(each, 'cannot')), [0, 0.001, 0.07, 5, 0.0005]);
  assert.deepEqual([0, 0.001, 0.07, 5, 0.0005].map(toMilliseconds), [0, 1, 70, 5000, 0.5]);
});

test('what the supervisor would refuse is refused, in milliseconds', () => {
  const refused = (wrong, name) => assert.throws(() => toSeconds(wrong, 'cannot wait for'), { name, message: /^cannot wait for .*: it must be a number of milliseconds/ });
  for (const wrong of [-1, NaN, 1e12, Infinity]) refused(wrong, 'RangeError');
  for (const wrong of ['5', null, 5n, {}, Symbol('a')]) refused(wrong, 'TypeError');
});

test('an extension is more than nothing, a wait may have no end, and a delay fits a timer', () => {
  const has = (range, value) => {
    try {
      requireMilliseconds(value, 'cannot', range);
      return true;
    } catch {
      return false;
    }
  };
  const values = [-1, 0, 1, 2 ** 31 - 1, 2 ** 31, Infinity, NaN];
  assert.deepEqual(values.map((value) => has(EXTENSION, value)), [false, false, true, true, true, false, false]);
  assert.deepEqual(values.map((value) => has(PATIENCE, value)), [false, true, true, true, true, true, false]);
  assert.deepEqual(values.map((value) => has(DELAY, value)), [false, false, true, true, false, false, false]);
});

test('people read seconds', () => {
  assert.deepEqual([4500, 100, 30_000, 1.25].map(shown), ['4.5 s', '0.1 s', '30 s', '0.001 s']);
});
