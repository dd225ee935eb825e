import assert from 'node:assert/strict';
import { test } from './support/test.js';
import { Client, NotPermitted } from '../lib/index.js';
import { STATUS, quick, startFake } from './support/fake-supervisor.js';

async function subscribed(t, topics) {
  const fake = await startFake(t);
  const client = new Client(quick(fake.path));
  t.after(() => client.close());
  const opening = client.subscribe(topics);
  const peer = await fake.greeted();
  const { params } = await peer.reply('subscribe', { snapshot: STATUS });
  return { fake, client, peer, params, subscription: await opening };
}

const pass = (seq) => ({ topic: 'pass', seq, time: 1, pass: seq, phase: 'active', status: 'started' });

test('a subscription begins with a snapshot, and events in the same write follow it', async (t) => {
  const fake = await startFake(t);
  const client = new Client(quick(fake.path));
  t.after(() => client.close());
  const opening = client.subscribe(['pass', 'worker']);
  const peer = await fake.greeted();
  const { id, params } = await peer.expect('subscribe');
  assert.deepEqual(params, { topics: ['pass', 'worker'] });
  peer.send({ id, result: { snapshot: STATUS } }, { method: 'event', params: pass(8) }, { method: 'event', params: pass(9) });
  const subscription = await opening;
  const seen = [];
  for await (const event of subscription) {
    seen.push(event.topic === 'snapshot' ? event.snapshot.seq : event.seq);
    if (seen.length === 3) break;
  }
  assert.deepEqual(seen, [7, 8, 9]);
  assert.deepEqual(await subscription.next(), { value: undefined, done: true });
  await peer.expectEnd();
});

test('without topics, the supervisor chooses', async (t) => {
  const { params } = await subscribed(t);
  assert.deepEqual(params, {});
});

test('lagged is followed by a snapshot that replaces the state', async (t) => {
  const { peer, subscription } = await subscribed(t, ['pass']);
  const later = { ...STATUS, seq: 30 };
  peer.event({ topic: 'lagged', dropped: 12 });
  peer.event({ topic: 'snapshot', snapshot: later });
  peer.event({ topic: 'of-the-future', seq: 31 });
  const topics = [];
  for (let count = 0; count < 4; count += 1) topics.push((await subscription.next()).value.topic);
  assert.deepEqual(topics, ['snapshot', 'lagged', 'snapshot', 'of-the-future']);
  assert.deepEqual(subscription.snapshot, later);
});

test('after a lost connection it starts again with a snapshot, and a reader that waits gets it', async (t) => {
  const { fake, peer, subscription } = await subscribed(t, ['pass']);
  await subscription.next();
  const next = subscription.next();
  peer.event({ topic: 'shutdown' });
  peer.end();
  assert.deepEqual((await next).value, { topic: 'shutdown' });
  const again = subscription.next();
  const other = await fake.greeted({ instance: 'two' });
  const { params } = await other.reply('subscribe', { snapshot: { ...STATUS, instance: 'two' } });
  assert.deepEqual(params, { topics: ['pass'] });
  assert.equal((await again).value.snapshot.instance, 'two');
});

test('a reader that is slow makes the supervisor queue, and loses nothing', async (t) => {
  const { peer, subscription } = await subscribed(t, ['pass']);
  const filler = 'x'.repeat(4096);
  let sent = 0;
  // The supervisor can't write indefinitely: the client stops reading.
  while (peer.socket.writableLength < 1 << 20) {
    sent += 1;
    peer.event({ ...pass(sent), filler });
    if (sent % 50 === 0) await new Promise(setImmediate);
    assert.ok(sent < 20_000, 'the client reads without end');
  }
  assert.equal((await subscription.next()).value.topic, 'snapshot');
  for (let seq = 1; seq <= sent; seq += 1) assert.equal((await subscription.next()).value.seq, seq);
});

test('a refused subscription rejects', async (t) => {
  const fake = await startFake(t);
  const client = new Client(quick(fake.path));
  t.after(() => client.close());
  const opening = assert.rejects(client.subscribe(['pass']), NotPermitted);
  const peer = await fake.greeted();
  await peer.refuse('subscribe', -32005, 'permission denied', { code: 'notPermitted' });
  await opening;
});

test('a subscription that is refused after a lost connection ends the iteration with the error', async (t) => {
  const { fake, peer, subscription } = await subscribed(t, ['pass']);
  await subscription.next();
  const next = assert.rejects(subscription.next(), NotPermitted);
  peer.end();
  const other = await fake.greeted();
  await other.refuse('subscribe', -32005, 'permission denied', { code: 'notPermitted' });
  await next;
  assert.equal((await subscription.next()).done, true);
});

test('closing the client ends its subscriptions', async (t) => {
  const { client, peer, subscription } = await subscribed(t, ['pass']);
  await subscription.next();
  const next = subscription.next();
  await client.close();
  assert.equal((await next).done, true);
  await peer.expectEnd();
});
