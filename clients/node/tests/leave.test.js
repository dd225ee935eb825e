// The end of a worker.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from '../lib/index.js';
import { quick, startFake } from './support/fake-supervisor.js';
import { program } from './support/initd.js';
import { test } from './support/test.js';
import { held, working } from './support/working.js';

const STUBBORN = fileURLToPath(new URL('support/stubborn.js', import.meta.url));

test('stop unregisters, cancels and answers the runs, and ends', async (t) => {
  const { work, begun, release } = held();
  const { worker, ended, peer } = await working(t, { a: work });
  peer.run(1, 'a');
  const run = await begun;
  const stopped = worker.stop();
  const { id } = await peer.expect('unregister');
  assert.equal(run.signal.reason.reason, 'unregistered');
  peer.cancel(1, 'unregistered');
  peer.send({ id, result: {} });
  release();
  assert.equal((await peer.receive()).error.code, -32008);
  await peer.expectEnd();
  await Promise.all([ended, stopped, worker.stop()]);
});

test('stop before run is not lost: run ends without a connection', async (t) => {
  const fake = await startFake(t);
  const worker = new Worker(quick(fake.path)).initializer('a', () => {});
  await worker.stop();
  await worker.run();
  const other = new Worker(quick(fake.path, { name: 'other' })).initializer('b', () => {});
  const ended = other.run();
  const peer = await fake.accept();
  assert.equal((await peer.expect('hello')).params.client.name, 'other', 'the stopped one has not connected');
  await other.stop();
  await ended;
});

test('stop ends a worker without a supervisor, one that waits for hello, and one whose supervisor is silent', async (t) => {
  const alone = new Worker(quick('/nowhere/initd.sock')).initializer('a', () => {});
  const ended = alone.run({ signals: false });
  await alone.stop();
  await ended;

  const fake = await startFake(t);
  const early = new Worker(quick(fake.path)).initializer('a', () => {});
  const earlyEnded = early.run({ signals: false });
  await (await fake.accept()).expect('hello');
  await early.stop();
  await earlyEnded;

  const late = new Worker(quick(fake.path)).initializer('a', () => {});
  const lateEnded = late.run({ signals: false });
  await (await fake.greeted()).expect('register');
  const begun = performance.now();
  await late.stop();
  await lateEnded;
  assert.ok(performance.now() - begun < 2000);
});

test('a run that crosses the request to unregister is not begun, and is answered before the end', async (t) => {
  let begun = 0;
  const { worker, ended, peer } = await working(t, { a: () => void (begun += 1) });
  const stopped = worker.stop();
  const { id } = await peer.expect('unregister');
  peer.run(1, 'a');
  const { id: answered, error } = await peer.receive();
  assert.deepEqual([answered, error?.code], ['run-1', -32008]);
  peer.send({ id, result: {} });
  await peer.expectEnd();
  await Promise.all([ended, stopped]);
  assert.equal(begun, 0);
});

test('after the grace, a function that goes on is not waited for; one that stops in time is answered', async (t) => {
  const [slow, good] = [held(), held()];
  const { worker, ended, lines, peer } = await working(t, { slow: slow.work, good: good.work }, { cancelGrace: 100 });
  peer.run(1, 'slow');
  peer.run(2, 'good');
  await Promise.all([slow.begun, good.begun]);
  const stopped = worker.stop();
  good.release();
  await peer.reply('unregister', {});
  assert.deepEqual([(await peer.receive()).id, await peer.receive()], ['run-2', null]);
  await Promise.all([ended, stopped]);
  assert.equal(await lines.take('a line'), 'gave up waiting for slow to stop, after 0.1 s');
  slow.release();
});

test('the grace bounds the wait for a silent supervisor, too', async (t) => {
  const { setTimeout: real } = globalThis;
  t.mock.method(globalThis, 'setTimeout', (call, delay, ...values) => real(call, delay === 1000 ? 60_000 : delay, ...values));
  const { worker, ended, peer } = await working(t, { a: () => {} }, { cancelGrace: 100 });
  const stopped = worker.stop();
  await peer.expect('unregister');
  await peer.expectEnd();
  await Promise.all([ended, stopped]);
});

test('the grace is 4.5 s by default, and can be as long as one likes', async (t) => {
  const delays = [];
  const { setTimeout: real } = globalThis;
  t.mock.method(globalThis, 'setTimeout', (call, delay, ...values) => {
    delays.push(delay);
    return real(call, delay, ...values);
  });
  for (const [options, delay] of [[{}, 4500], [{ cancelGrace: 3_600_000 }, 3_600_000], [{ cancelGrace: Infinity }, undefined]]) {
    const { work, begun, release } = held();
    const { worker, ended, peer } = await working(t, { a: work }, options);
    peer.run(1, 'a');
    await begun;
    delays.length = 0;
    const stopped = worker.stop();
    assert.equal(delays[0], delay);
    await peer.reply('unregister', {});
    release();
    assert.equal((await peer.receive()).error.code, -32008);
    await Promise.all([ended, stopped]);
  }
});

test('stop ends a worker that waits for a function after a lost connection', async (t) => {
  const { work, begun, release } = held();
  const { worker, ended, lines, peer } = await working(t, { slow: work }, { cancelGrace: 100 });
  peer.run(1, 'slow');
  await begun;
  const lost = once(worker, 'lost');
  peer.end();
  await lost;
  await Promise.all([ended, worker.stop()]);
  assert.match(await lines.take('a line'), /^gave up waiting for slow/);
  release();
});

test('SIGTERM ends a program whose function never ends, also after a lost connection', async (t) => {
  for (const isLost of [false, true]) {
    const { peer, child, exited } = await stubborn(t, 100);
    if (isLost) {
      peer.end();
      await child.saw('waiting for a to stop');
    }
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
  }
});

test('a second signal ends a program at once, even if the program catches it', async (t) => {
  const { peer, child, exited } = await stubborn(t, 3_600_000);
  child.kill('SIGINT');
  await peer.expect('unregister');
  child.kill('SIGTERM');
  assert.deepEqual(await exited, [null, 'SIGTERM']);
});

/** Starts a program with a function that never ends, and waits until that has begun. */
async function stubborn(t, cancelGrace) {
  const fake = await startFake(t);
  const child = program(STUBBORN, [fake.path, String(cancelGrace)]);
  t.after(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const peer = await fake.registered();
  peer.run(1, 'a');
  await child.saw('begun');
  return { peer, child, exited };
}
