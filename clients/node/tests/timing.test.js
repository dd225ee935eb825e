import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from './support/test.js';
import { complete } from '../lib/options.js';
import { Backoff, abortable } from '../lib/timing.js';

test('delays double from the first to the longest, with jitter', () => {
  const backoff = new Backoff({ minDelay: 1, maxDelay: 5 });
  const between = (delay, most) => assert.ok(delay >= most / 2 && delay <= most, `${delay} for ${most}`);
  for (const most of [1, 2, 4, 5, 5]) between(backoff.next(), most);
  const delays = new Set(Array.from({ length: 10 }, () => new Backoff({ minDelay: 1, maxDelay: 5 }).next()));
  assert.ok(delays.size > 1);
  const usual = new Backoff(complete({}));
  for (const most of [50, 100, 200, 400, 800, 1000, 1000]) between(usual.next(), most);
});

test('a signal ends a wait with its reason, and leaves no listener behind', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  assert.equal(await abortable(Promise.resolve(3), signal), 3);
  await assert.rejects(abortable(Promise.reject(new Error('boom')), signal), /boom/);
  await new Promise(setImmediate);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  const waiting = assert.rejects(abortable(new Promise(() => {}), signal), /enough/);
  controller.abort(new Error('enough'));
  await waiting;
  await assert.rejects(abortable(Promise.resolve(3), signal), /enough/);
});
