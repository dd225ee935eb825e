import assert from 'node:assert/strict';
import { shown, toMilliseconds, toSeconds } from '../lib/durations.js';
import { test } from './support/test.js';

test('milliseconds become seconds, and seconds milliseconds', () => {
  assert.deepEqual([0, 1, 70, 5000, 0.5].map((each) => toSeconds(each, 'cannot')), [0, 0.001, 0.07, 5, 0.0005]);
  assert.deepEqual([0, 0.001, 0.07, 5, 0.0005].map(toMilliseconds), [0, 1, 70, 5000, 0.5]);
});

test('what the supervisor would refuse is refused, in milliseconds', () => {
  for (const wrong of [-1, NaN, 1e12, Infinity, '5', null, 5n, {}, Symbol('a')]) {
    assert.throws(() => toSeconds(wrong, 'cannot wait for'), { name: 'RangeError', message: /^cannot wait for .*: it must be a number of milliseconds/ });
  }
});

test('people read seconds', () => {
  assert.deepEqual([4500, 100, 30_000, 1.25].map(shown), ['4.5 s', '0.1 s', '30 s', '0.001 s']);
});
