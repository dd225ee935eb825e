import assert from 'node:assert/strict';
import { test } from './support/test.js';
import { Client, ConnectionClosed, ShuttingDown } from '../lib/index.js';
import { Inbox, quick, startFake } from './support/fake-supervisor.js';

async function holder(t) {
  const fake = await startFake(t);
  const lines = new Inbox();
  const client = new Client(quick(fake.path, { log: (line) => lines.put(line) }));
  t.after(() => client.close());
  return { fake, client, lines };
}

async function taken(fake, pass = 2) {
  const peer = await fake.greeted();
  const { params } = await peer.reply('activate', { pass });
  assert.deepEqual(params, { hold: true });
  return peer;
}

test('a hold lasts as long as its scope', async (t) => {
  const { fake, client } = await holder(t);
  let finish;
  const held = client.hold(
    (hold) =>
      new Promise((resolve) => {
        finish = () => resolve(hold.pass * 10);
      }),
  );
  const peer = await taken(fake);
  while (finish === undefined) await new Promise(setImmediate);
  finish();
  await peer.reply('release', {});
  assert.equal(await held, 20);
  await peer.expectEnd();
});

test('a scope that throws releases the hold, and throws', async (t) => {
  const { fake, client } = await holder(t);
  const held = assert.rejects(client.hold(() => Promise.reject(new Error('boom'))), /boom/);
  const peer = await taken(fake);
  await peer.reply('release', {});
  await held;
});

test('without a scope, release ends it, and asyncDispose is the same', async (t) => {
  const { fake, client } = await holder(t);
  for (const end of ['release', Symbol.asyncDispose]) {
    if (end === undefined) continue; // This runtime has no Symbol.asyncDispose.
    const [peer, hold] = await Promise.all([taken(fake), client.hold()]);
    let isReleased = false;
    const ended = hold[end]().then(() => {
      isReleased = true;
    });
    const { id } = await peer.expect('release');
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    assert.ok(!isReleased, 'the supervisor has not answered yet');
    peer.send({ id, result: {} });
    await ended;
    await hold.release();
  }
});

test('a hold that is lost is taken again', async (t) => {
  const { fake, client } = await holder(t);
  const [peer, hold] = await Promise.all([taken(fake), client.hold()]);
  peer.end();
  const other = await taken(fake, 7);
  while (hold.pass !== 7) await new Promise(setImmediate);
  const ended = hold.release();
  await other.reply('release', {});
  await ended;
});

test('a hold that cannot be taken again is logged, and one that never began throws', async (t) => {
  const { fake, client, lines } = await holder(t);
  const [peer] = await Promise.all([taken(fake), client.hold()]);
  peer.end();
  const other = await fake.greeted();
  await other.refuse('activate', -32602, 'no more holds');
  assert.equal(await lines.take('a line'), 'cannot hold the app active any more: no more holds');

  const never = assert.rejects(client.hold(), /no holds/);
  await (await fake.greeted()).refuse('activate', -32602, 'no holds');
  await never;
});

test('a supervisor that shuts down is waited for', async (t) => {
  const { fake, client } = await holder(t);
  const held = client.hold();
  const peer = await fake.greeted();
  await peer.refuse('activate', -32006, 'shutting down', { code: 'shuttingDown' });
  await taken(fake);
  await held;
});

test('a hold that cannot begin within the limit throws, and 0 is one attempt', async (t) => {
  const fake = await startFake(t);
  const held = assert.rejects(new Client(quick(fake.path, { connectTimeout: 0 })).hold(), ShuttingDown);
  const peer = await fake.greeted();
  await peer.refuse('activate', -32006, 'shutting down', { code: 'shuttingDown' });
  await held;
});

test('closing the client releases its holds, also one that has not begun', async (t) => {
  const { fake, client } = await holder(t);
  const [peer] = await Promise.all([taken(fake), client.hold()]);
  const second = assert.rejects(client.hold(), ConnectionClosed);
  await (await fake.greeted()).expect('activate');
  const closed = client.close();
  await peer.reply('release', {});
  await second;
  await closed;
});
