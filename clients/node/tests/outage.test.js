// Tests how a worker, a subscription and a hold wait for a supervisor.

import assert from 'node:assert/strict';
import { Client, LimitExceeded, ProtocolError, Worker } from '../lib/index.js';
import { Backoff } from '../lib/timing.js';
import { Inbox, STATUS, quick, startFake } from './support/fake-supervisor.js';
import { test } from './support/test.js';

const STRANGER = 'HTTP/1.1 400 Bad Request\r\n\r\n';

/** For each kind: its first request, the answer to it, and the call that begins it. The promise rejects if it can't begin. */
const KINDS = {
  worker: ['register', { registered: [] }, (t, options) => {
    const worker = new Worker(options).initializer('a', () => {});
    t.after(() => worker.stop());
    return worker.run({ signals: false });
  }],
  subscription: ['subscribe', { snapshot: STATUS }, (t, options) => opened(t, options).subscribe(['pass'])],
  hold: ['activate', { pass: 1 }, (t, options) => opened(t, options).hold()],
}; // prettier-ignore

function opened(t, options) {
  const client = new Client(options);
  t.after(() => client.close());
  return client;
}

/** Begins a wait, worker or subscription, at a supervisor of its own. */
async function begin(t, kind, changes) {
  const fake = await startFake(t);
  const lines = new Inbox();
  const [method, result, start] = KINDS[kind];
  const begun = start(t, quick(fake.path, { log: (line) => lines.put(line), ...changes }));
  begun.catch(() => {}); // Each test awaits the promise when it expects an error.
  t.after(() => fake.peers.forEach((peer) => peer.end()));
  return { fake, lines, begun, method, accepted: async () => {
    const peer = await fake.greeted();
    await peer.reply(method, result);
    return peer;
  } }; // prettier-ignore
}

test('the delays after a loss begin with the first one, and double', async (t) => {
  const delays = [];
  const { next } = Backoff.prototype;
  t.mock.method(Math, 'random', () => 1);
  t.mock.method(Backoff.prototype, 'next', function remember() {
    delays.push(next.call(this));
    return delays.at(-1);
  });
  const { fake, accepted } = await begin(t, 'worker', { minDelay: 1, maxDelay: 4 });
  for (let loss = 0; loss < 2; loss += 1) {
    (await accepted()).end();
    for (let attempt = 0; attempt < 3; attempt += 1) (await fake.accept()).end();
  }
  await accepted();
  assert.deepEqual(delays, [1, 2, 4, 4, 1, 2, 4, 4]);
});

for (const kind of Object.keys(KINDS)) {
  test(`a ${kind} that has begun tries again without a limit`, async (t) => {
    const { fake, accepted } = await begin(t, kind, { connectTimeout: 0 });
    (await accepted()).end();
    for (let attempt = 0; attempt < 3; attempt += 1) (await fake.accept()).end();
    await accepted();
  });

  test(`a ${kind} that has begun says once that the peer is not initd, and tries again; before that, it is an error`, async (t) => {
    const { fake, lines, accepted } = await begin(t, kind);
    (await accepted()).end();
    for (let attempt = 0; attempt < 3; attempt += 1) (await fake.accept()).write(STRANGER);
    await accepted();
    assert.match(await lines.take('a line'), /^waiting for a supervisor at .*: the peer is not initd: .* check the socket's path$/);
    assert.match(await lines.take('a line'), /^connected to the supervisor/);

    const first = await begin(t, kind);
    (await first.fake.accept()).write(STRANGER);
    await assert.rejects(first.begun, ProtocolError);
    assert.equal(first.fake.peers.length, 1);
  });

  test(`a ${kind} is tried again if there are too many connections; another limit is its error`, async (t) => {
    const { fake, begun, method } = await begin(t, kind);
    const full = (limit) => [-32007, 'limit exceeded', { code: 'limitExceeded', limit }];
    await (await fake.accept()).refuse('hello', ...full('connections'));
    await (await fake.greeted()).refuse(method, ...full('connections'));
    await (await fake.greeted()).refuse(method, ...full('initializers'));
    await assert.rejects(begun, (error) => error instanceof LimitExceeded && error.limit === 'initializers');
    assert.equal(fake.peers.length, 3);
  });
}
