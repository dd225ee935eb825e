import assert from 'node:assert/strict';
import { getEventListeners, once } from 'node:events';
import { connect } from 'node:net';
import { Connection } from '../lib/connection.js';
import { Client, ConnectionClosed, ConnectionLost, InitdError, NoSupervisor, NotPermitted } from '../lib/index.js';
import { quick, startFake } from './support/fake-supervisor.js';
import { test } from './support/test.js';

async function joined(t) {
  const fake = await startFake(t);
  const socket = connect({ path: fake.path });
  const [peer] = await Promise.all([fake.accept(), once(socket, 'connect')]);
  const connection = new Connection(socket);
  t.after(() => connection.destroy());
  return { connection, peer };
}

test('a request that was aborted, or is late, is forgotten', async (t) => {
  const { connection, peer } = await joined(t);
  const controller = new AbortController();
  const { signal } = controller;
  const then = t.mock.fn();
  const aborted = assert.rejects(connection.request('wait', {}, { signal, limit: 60_000, late: assert.fail, then }), /enough/);
  const late = assert.rejects(connection.request('wait', {}, { signal, limit: 1, late: () => new Error('late'), then }), /late/);
  const requests = [await peer.expect('wait'), await peer.expect('wait')];
  await late;
  assert.equal(getEventListeners(signal, 'abort').length, 1);
  controller.abort(new Error('enough'));
  await aborted;
  peer.send(...requests.map(({ id }) => ({ id, result: {} })));
  const ping = connection.request('ping', {}, { then });
  await peer.reply('ping', { last: true });
  await ping;
  assert.deepEqual(then.mock.calls.map(({ arguments: [result] }) => result), [{ last: true }], 'nothing is kept for the others');
});

test('an aborted request leaves no timer behind', async (t) => {
  const { connection, peer } = await joined(t);
  const timers = new Set();
  const { setTimeout: start, clearTimeout: stop } = globalThis;
  t.mock.method(globalThis, 'setTimeout', (...values) => {
    const timer = start(...values);
    if (values[1] === 77_000) timers.add(timer);
    return timer;
  });
  t.mock.method(globalThis, 'clearTimeout', (timer) => {
    timers.delete(timer);
    stop(timer);
  });
  const controller = new AbortController();
  const aborted = assert.rejects(connection.request('wait', {}, { signal: controller.signal, limit: 77_000, late: assert.fail }), /enough/);
  await peer.expect('wait');
  assert.equal(timers.size, 1);
  controller.abort(new Error('enough'));
  await aborted;
  assert.equal(timers.size, 0);
});

test('each open request has an error of its own, with one cause', async (t) => {
  const reasons = [
    [new ConnectionLost('gone', { cause: new Error('ECONNRESET') }), 'ECONNRESET'],
    [new ConnectionLost('gone'), 'gone'],
    [new ConnectionClosed('closed'), 'closed'],
    [new NotPermitted(-32005, 'permission denied', { code: 'notPermitted', more: 1 }), 'permission denied'],
  ];
  for (const [reason, cause] of reasons) {
    const { connection } = await joined(t);
    const open = [connection.request('wait'), connection.request('wait')];
    connection.destroy(reason);
    open.push(connection.request('wait'));
    const errors = await Promise.all(open.map((request) => request.catch((error) => error)));
    assert.equal(new Set([reason, ...errors]).size, 4);
    for (const error of errors) {
      const { constructor, message, word, code, data } = error;
      assert.deepEqual([constructor, message, word, code, data], [reason.constructor, reason.message, reason.word, reason.code, reason.data]);
      assert.equal(error.cause.message, cause);
      assert.equal(error.cause, errors[0].cause);
    }
  }
});

test('requests that wait for one connection, and those of a closed client, have errors of their own', async () => {
  const client = new Client(quick('/nowhere/initd.sock', { connectTimeout: 0 }));
  const failures = () => Promise.all([client.status(), client.launch(), client.hold()].map((request) => request.catch((error) => error)));
  for (const kind of [NoSupervisor, ConnectionClosed]) {
    const errors = await failures();
    for (const error of errors) assert.ok(error instanceof kind && error instanceof InitdError);
    if (kind === NoSupervisor) assert.equal(errors[0].cause.code, 'ENOENT');
    assert.equal(new Set(errors).size, 3);
    await client.close();
  }
});
