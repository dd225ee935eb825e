import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { test } from './support/test.js';
import { NameConflict, RequestError, Worker } from '../lib/index.js';
import { quick, startFake } from './support/fake-supervisor.js';
import { held, working } from './support/working.js';

test('after a lost connection the runs are cancelled, and the names registered again when they have stopped', async (t) => {
  const { work, begun, release } = held();
  const { fake, worker, peer } = await working(t, { a: work });
  const events = [];
  worker.on('lost', () => events.push('lost'));
  worker.on('answered', () => events.push('answered'));
  worker.on('registered', () => events.push('registered'));
  peer.run(1, 'a');
  const run = await begun;
  run.signal.addEventListener('abort', () => events.push(run.signal.reason.reason));
  const lost = once(worker, 'lost');
  peer.end();
  await lost;
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  assert.equal(fake.peers.length, 1, 'it connects only when the function has ended');
  release();
  const other = await fake.registered();
  other.run(1, 'a');
  assert.deepEqual(await other.receive(), { jsonrpc: '2.0', id: 'run-1', result: {} }, 'the answer of the first run is not sent');
  assert.deepEqual(events, ['lost', 'lost', 'registered', 'answered']);
});

test('people are told which function delays the reconnection', async (t) => {
  const { work, begun, release } = held();
  const { peer, lines } = await working(t, { slow: work });
  peer.run(1, 'slow');
  await begun;
  peer.end();
  assert.equal(await lines.take('a line'), 'waiting for slow to stop');
  release();
});

test('a name that is taken after a lost connection is tried again; at the start it is an error', async (t) => {
  const taken = [-32002, 'another worker provides a', { code: 'nameConflict' }];
  const { fake, peer, lines } = await working(t, { a: () => {} });
  peer.end();
  const line = lines.take('a line');
  let isTold = false;
  line.then(() => {
    isTold = true;
  });
  while (!isTold) await (await fake.greeted()).refuse('register', ...taken);
  assert.equal(await line, `waiting for a supervisor at ${fake.path}: another worker provides a`);
  await fake.registered();
  assert.match(await lines.take('a line'), /^connected/, 'people are told once');

  const other = await startFake(t);
  const ended = assert.rejects(new Worker(quick(other.path)).initializer('a', () => {}).run({ signals: false }), NameConflict);
  await (await other.greeted()).refuse('register', ...taken);
  await ended;
});

test('a supervisor that is shutting down, and one that is lost before its answer, are tried again', async (t) => {
  const fake = await startFake(t);
  const worker = new Worker(quick(fake.path)).initializer('a', () => {});
  const ended = worker.run({ signals: false });
  (await fake.accept()).end();
  await (await fake.greeted()).refuse('register', -32006, 'shutting down', { code: 'shuttingDown' });
  const third = await fake.greeted();
  await third.expect('register');
  third.end();
  const fourth = await fake.registered();
  const stopped = worker.stop();
  await fourth.reply('unregister', {});
  await Promise.all([ended, stopped]);
});

test('a registration that the supervisor refuses ends the worker with its error', async (t) => {
  const fake = await startFake(t);
  const ended = assert.rejects(new Worker(quick(fake.path)).initializer('a', () => {}).run(), (error) => error instanceof RequestError && error.code === -32602);
  const peer = await fake.greeted();
  await peer.refuse('register', -32602, 'params.initializers[0].name: must be a name');
  await ended;
  assert.deepEqual(process.listeners('SIGTERM'), []);
});

test('a message that cannot be read ends the connection, and the next one is opened', async (t) => {
  const { fake, worker, peer } = await working(t, { a: () => {} });
  const lost = once(worker, 'lost');
  peer.write('HTTP/1.1 400 Bad Request\r\n\r\n');
  assert.equal((await lost)[0].word, 'notInitd');
  await peer.expectEnd();
  await fake.registered();
});

test('1,000 lost connections leave no descriptor, no listener and no run behind', async (t) => {
  const open = () => readdirSync('/proc/self/fd').length;
  let cancelled = 0;
  let running = 0;
  const wait = async ({ signal }) => {
    running += 1;
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
    running -= 1;
    cancelled += 1;
  };
  const { fake, worker, peer: first } = await working(t, { a: wait, b: wait });
  let peer = first;
  let before;
  for (let number = 1; number <= 1000; number += 1) {
    if (number === 100) before = open();
    peer.run(2 * number - 1, 'a');
    peer.run(2 * number, 'b');
    while (running < 2) await new Promise(setImmediate);
    peer.end();
    peer = await fake.registered();
    fake.peers.length = 0;
  }
  fake.peers.push(peer);
  assert.deepEqual([running, cancelled], [0, 2000]);
  if (process.platform === 'linux') assert.ok(open() <= before + 3, `${open()} descriptors, ${before} before`);
  const stopped = worker.stop();
  await peer.reply('unregister', {});
  await stopped;
});
