// The signals of a client's methods.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { Client } from '../lib/index.js';
import { STATUS, quick, startFake } from './support/fake-supervisor.js';
import { test } from './support/test.js';

/** Each method that may wait, with the request that it sends. */
const CALLS = {
  connect: ['hello', (client, options) => client.connect(options)],
  request: ['future', (client, options) => client.request('future', {}, options)],
  ping: ['ping', (client, options) => client.ping({}, options)],
  status: ['status', (client, options) => client.status(options)],
  launch: ['launch', (client, options) => client.launch(options)],
  activate: ['activate', (client, options) => client.activate(options)],
  deactivate: ['deactivate', (client, options) => client.deactivate({ wait: true, ...options })],
  wait: ['wait', (client, options) => client.wait('ready', { timeout: 5000, ...options })],
  rerun: ['rerun', (client, options) => client.rerun(['a'], options)],
  cancel: ['cancelRun', (client, options) => client.cancel(['a'], options)],
  unregister: ['unregister', (client, options) => client.unregister(['a'], options)],
  logs: ['logs', (client, options) => client.logs(options)],
  history: ['history', (client, options) => client.history(options)],
  reload: ['reload', (client, options) => client.reload(options)],
  shutdown: ['shutdown', (client, options) => client.shutdown(options)],
  subscribe: ['subscribe', (client, options) => client.subscribe(['pass'], options)],
  hold: ['activate', (client, options) => client.hold(assert.fail, options)],
};

async function started(t) {
  const fake = await startFake(t);
  const client = new Client(quick(fake.path));
  t.after(async () => {
    for (const peer of fake.peers) peer.end();
    await client.close();
  });
  return { fake, client };
}

test('every method that waits is here', () => {
  const methods = Object.getOwnPropertyNames(Client.prototype).filter((name) => typeof Object.getOwnPropertyDescriptor(Client.prototype, name).value === 'function');
  assert.deepEqual(methods.filter((name) => !['constructor', 'close'].includes(name)).sort(), Object.keys(CALLS).sort());
});

for (const [name, [method, call]] of Object.entries(CALLS)) {
  test(`a signal ends ${name}, and one that is aborted already does not even connect`, async (t) => {
    const { fake, client } = await started(t);
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = assert.rejects(call(client, { signal }), /enough/);
    const peer = await fake.accept();
    if (method !== 'hello') await peer.greet();
    const { params = {} } = await peer.expect(method);
    assert.ok(!('signal' in params));
    controller.abort(new Error('enough'));
    await waiting;
    assert.equal(getEventListeners(signal, 'abort').length, 0);

    const next = await started(t);
    await assert.rejects(call(next.client, { signal }), /enough/);
    const probe = new Client(quick(next.fake.path, { name: 'probe' }));
    t.after(() => probe.close());
    const connecting = probe.connect();
    const hello = await (await next.fake.accept()).greet();
    assert.equal(hello.params.client.name, 'probe', 'the other client has not connected');
    await connecting;
  });
}

test('a hold that was given up is released, and its connection closed', async (t) => {
  const { fake, client } = await started(t);
  const controller = new AbortController();
  const waiting = assert.rejects(client.hold({ signal: controller.signal }), /enough/);
  const peer = await fake.greeted();
  await peer.expect('activate');
  controller.abort(new Error('enough'));
  await waiting;
  await peer.reply('release', {});
  await peer.expectEnd();
});

test('a signal ends a subscription, also one that is read later, and leaves no listener behind', async (t) => {
  const { fake, client } = await started(t);
  for (const isReading of [true, false]) {
    const controller = new AbortController();
    const { signal } = controller;
    const opening = client.subscribe([], { signal });
    const peer = await fake.greeted();
    await peer.reply('subscribe', { snapshot: STATUS });
    const events = await opening;
    if (isReading) await events.next();
    const next = isReading ? assert.rejects(events.next(), /enough/) : undefined;
    controller.abort(new Error('enough'));
    await (next ?? assert.rejects(events.next(), /enough/));
    assert.equal((await events.next()).done, true);
    await peer.expectEnd();
  }
  const { signal } = new AbortController();
  const opening = client.subscribe([], { signal });
  await (await fake.greeted()).reply('subscribe', { snapshot: STATUS });
  await (await opening).close();
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('names and topics that are not in an array are refused', async () => {
  const client = new Client('/nowhere/initd.sock');
  await assert.rejects(client.unregister('a', 'b'), { name: 'TypeError', message: 'cannot unregister: the names are a value of type string, not an array' });
  await assert.rejects(client.rerun('a'), { name: 'TypeError', message: 'cannot rerun: the names are a value of type string, not an array' });
  await assert.rejects(client.cancel('a'), { name: 'TypeError', message: 'cannot cancel: the names are a value of type string, not an array' });
  await assert.rejects(client.subscribe('pass'), { name: 'TypeError', message: /^cannot subscribe: the topics are .*, not an array$/ });
});
