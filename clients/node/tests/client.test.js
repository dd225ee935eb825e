import assert from 'node:assert/strict';
import { test } from './support/test.js';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  Client, ConnectionClosed, ConnectionLost, LimitExceeded, NoSupervisor, NotPermitted, NotRunning, ProtocolError, RequestError, TimedOut,
  UnsupportedProtocol,
} from '../lib/index.js'; // prettier-ignore
import { STATUS, Inbox, frame, quick, startFake } from './support/fake-supervisor.js';
import { program } from './support/initd.js';

async function connected(t, changes) {
  const fake = await startFake(t);
  const client = new Client(quick(fake.path, changes));
  t.after(() => client.close());
  const [peer] = await Promise.all([fake.greeted(), client.connect()]);
  return { fake, client, peer };
}

test('hello names the program, and its answer names the supervisor', async (t) => {
  const fake = await startFake(t);
  const client = new Client(quick(fake.path, { name: 'probe', version: '1.2' }));
  t.after(() => client.close());
  const connecting = client.connect();
  const peer = await fake.accept();
  const hello = await peer.greet({ instance: 'two' });
  assert.deepEqual(hello.params, { protocol: 1, client: { name: 'probe', version: '1.2' } });
  assert.equal(await connecting, client);
  assert.equal(client.instance, 'two');
  assert.equal(client.server.name, 'initd');
});

test('a program that gives no name has that of its script', async (t) => {
  const fake = await startFake(t);
  for (const Kind of ['Client', 'Worker']) {
    const script = `import { ${Kind} } from ${JSON.stringify(String(new URL('../lib/index.js', import.meta.url)))};
      const it = new ${Kind}(${JSON.stringify(fake.path)});
      await (it.connect?.() ?? it.initializer('a', () => {}).run());`;
    const file = join(await mkdtemp(join(tmpdir(), 'initd-')), 'shelf.mjs');
    t.after(() => rm(dirname(file), { recursive: true }));
    await writeFile(file, script);
    const child = program(file, []);
    t.after(() => child.kill('SIGKILL'));
    assert.equal((await (await fake.accept()).expect('hello')).params.client.name, 'shelf.mjs');
  }
});

test('each method sends its request, and returns what matters of the answer', async (t) => {
  const { client, peer } = await connected(t);
  const cases = [
    [() => client.ping({ a: 1 }), 'ping', { a: 1 }, { a: 1 }],
    [() => client.status(), 'status', undefined, STATUS],
    [() => client.launch(), 'launch', undefined, { pass: 1 }],
    [() => client.activate(), 'activate', undefined, { pass: 2 }],
    [() => client.deactivate({ wait: true }), 'deactivate', { wait: true }, { cancelled: ['a'] }, ['a']],
    [() => client.wait(), 'wait', { for: 'ready' }, { state: 'complete' }],
    [() => client.wait('launch', { timeout: 3000 }), 'wait', { for: 'launch', timeout: 3 }, { state: 'failed' }],
    [() => client.wait({ initializer: 'a' }, { appear: true }), 'wait', { initializer: 'a', appear: true }, { state: 'cancelled' }],
    [() => client.wait({ pass: 4 }), 'wait', { pass: 4 }, { state: 'complete', pass: 4 }],
    [() => client.rerun(['a', 'b']), 'rerun', { initializers: ['a', 'b'], withDependents: false }, { passes: [3] }, [3]],
    [() => client.rerun(['a'], { withDependents: true }), 'rerun', { initializers: ['a'], withDependents: true }, { passes: [3, 4] }, [3, 4]],
    [() => client.cancel(['a', 'b']), 'cancelRun', { initializers: ['a', 'b'] }, { cancelled: ['a', 'b'] }, ['a', 'b']],
    [() => client.unregister(['a', 'b']), 'unregister', { names: ['a', 'b'] }, {}, undefined],
    [() => client.logs({ limit: 3 }), 'logs', { limit: 3 }, { lines: [1] }, [1]],
    [() => client.logs({ initializer: 'a' }), 'logs', { initializer: 'a' }, { lines: [] }, []],
    [() => client.history({ usual: true }), 'history', { usual: true }, { passes: [] }],
    [() => client.reload(), 'reload', { dryRun: false, withDependents: false }, { added: ['a'] }],
    [() => client.reload({ dryRun: true, withDependents: true }), 'reload', { dryRun: true, withDependents: true }, { added: [] }],
    [() => client.shutdown(), 'shutdown', undefined, {}, undefined],
    [() => client.request('future', { a: 1 }), 'future', { a: 1 }, 'anything'],
  ];
  for (const [call, method, params, result, returned = method === 'unregister' || method === 'shutdown' ? undefined : result] of cases) {
    const answer = call();
    const request = await peer.reply(method, result);
    assert.deepEqual(request.params, params, method);
    assert.deepEqual(await answer, returned, method);
  }
});

test('answers are matched by id, in any order', async (t) => {
  const { client, peer } = await connected(t);
  const answers = [client.ping({ n: 1 }), client.ping({ n: 2 })];
  const requests = [await peer.expect('ping'), await peer.expect('ping')];
  for (const { id, params } of requests.reverse()) peer.send({ id, result: params });
  assert.deepEqual(await Promise.all(answers), [{ n: 1 }, { n: 2 }]);
});

test('a refusal has its class, its code, its word and its data', async (t) => {
  const { client, peer } = await connected(t);
  const refused = async (code, data, check) => {
    const answer = assert.rejects(client.wait(), check);
    await peer.refuse('wait', code, 'the message', data);
    await answer;
  };
  await refused(-32003, { code: 'timeout', status: STATUS }, (error) => {
    assert.ok(error instanceof TimedOut && error instanceof RequestError);
    assert.deepEqual([error.name, error.code, error.word, error.message], ['TimedOut', -32003, 'timeout', 'the message']);
    assert.deepEqual(error.status, STATUS);
    assert.match(error.stack, /client\.test\.js/, "the stack shows the caller's line");
    return true;
  });
  await refused(-32007, { code: 'limitExceeded', limit: 'waits' }, (error) => error instanceof LimitExceeded && error.limit === 'waits');
  const initializers = [{ name: 'a', status: 'complete' }];
  await refused(-32009, { code: 'notRunning', initializers }, (error) => error instanceof NotRunning && error.initializers[0].status === 'complete');
  await refused(-32602, undefined, (error) => error.word === 'invalidParams' && error.code === -32602);
  await refused(-32099, { code: 'ofTheFuture' }, (error) => error.constructor === RequestError && error.word === 'ofTheFuture');
});

test('a request waits for a supervisor that starts later, and people are told after a second', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'initd-'));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, 'initd.sock');
  const lines = new Inbox();
  const client = new Client(quick(path, { log: (line) => lines.put(line) }));
  const begun = performance.now();
  const status = client.status();
  assert.equal(await lines.take('a line'), `waiting for a supervisor at ${path}: cannot connect to ${path}: there is no such socket; start initd`);
  assert.ok(performance.now() - begun >= 990);
  const server = createServer((socket) => socket.once('data', () => {
    socket.write(frame(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { instance: 'i', limits: { frameBytes: 4096 } } })));
    socket.once('data', () => socket.write(frame(JSON.stringify({ jsonrpc: '2.0', id: 2, result: STATUS }))));
  })); // prettier-ignore
  server.listen(path);
  assert.deepEqual(await status, STATUS);
  assert.match(await lines.take('a line'), /^connected to the supervisor/);
  await client.close();
  server.close();
});

test('without a supervisor, a request fails when the time is up, and says what to do', async () => {
  for (const connectTimeout of [0, 20]) {
    const client = new Client(quick('/nowhere/initd.sock', { connectTimeout }));
    await assert.rejects(client.status(), (error) => error instanceof NoSupervisor && /start initd/.test(error.message) && error.word === 'noSupervisor');
  }
});

test('a client waits 30 s by default', async (t) => {
  const fake = await startFake(t);
  let passed = 0;
  const { now } = performance;
  t.mock.method(performance, 'now', () => now.call(performance) + passed * 1000);
  const status = assert.rejects(new Client(quick(fake.path)).status(), ConnectionLost);
  (await fake.accept()).end();
  passed = 20;
  for (let attempt = 0; attempt < 3; attempt += 1) (await fake.accept()).end();
  const last = await fake.accept();
  passed = 30;
  last.end();
  await status;
});

test('a listener that says nothing is given up when the time is up', async (t) => {
  const fake = await startFake(t);
  const client = new Client(quick(fake.path, { connectTimeout: 100 }));
  await assert.rejects(client.status(), (error) => error instanceof NoSupervisor && /no answer to hello within 0(\.1)? s/.test(error.message));
});

test('people are told after a second, even while an attempt hangs', async (t) => {
  const fake = await startFake(t);
  const lines = new Inbox();
  const client = new Client(quick(fake.path, { log: (line) => lines.put(line) }));
  t.after(() => client.close());
  const connecting = client.connect();
  const peer = await fake.accept();
  assert.equal(await lines.take('a line'), `waiting for a supervisor at ${fake.path}: it has not answered yet`);
  await peer.greet();
  await connecting;
  assert.match(await lines.take('a line'), /^connected to the supervisor/);
});

test('a wait is given up 5 s after its timeout if the supervisor does not answer', async (t) => {
  const { client, peer } = await connected(t);
  const { setTimeout: real } = globalThis;
  t.mock.method(globalThis, 'setTimeout', (call, delay, ...values) => real(call, delay === 65_000 ? 0 : delay, ...values));
  const late = assert.rejects(client.wait('ready', { timeout: 60_000 }), (error) => {
    assert.ok(error instanceof TimedOut);
    assert.deepEqual([error.code, error.word, error.status], [-32003, 'timeout', undefined]);
    return true;
  });
  assert.deepEqual((await peer.expect('wait')).params, { for: 'ready', timeout: 60 });
  await late;
  await assert.rejects(client.wait('ready', { timeout: Infinity }), /^RangeError: cannot wait with a timeout of Infinity: .* milliseconds/);
  for (const timeout of [undefined, 1e11]) {
    const answer = client.wait('ready', { timeout });
    await peer.reply('wait', { state: 'complete' });
    assert.deepEqual(await answer, { state: 'complete' });
  }
});

test('a lost connection fails the open requests, and the next request connects again', async (t) => {
  const { fake, client, peer } = await connected(t);
  const open = assert.rejects(client.wait(), ConnectionLost);
  await peer.expect('wait');
  peer.end();
  await open;
  const status = client.status();
  const next = await fake.greeted();
  await next.reply('status', STATUS);
  assert.deepEqual(await status, STATUS);
});

test('requests that connect at once share one connection', async (t) => {
  const fake = await startFake(t);
  const client = new Client(quick(fake.path));
  t.after(() => client.close());
  const answers = Promise.all([client.ping({ n: 1 }), client.ping({ n: 2 })]);
  const peer = await fake.greeted();
  await peer.reply('ping', 1);
  await peer.reply('ping', 2);
  assert.deepEqual(await answers, [1, 2]);
  assert.equal(fake.peers.length, 1);
});

test('the reason of an error with id null is that of the end', async (t) => {
  const fake = await startFake(t);
  const client = new Client(quick(fake.path));
  const answer = assert.rejects(client.status(), NotPermitted);
  const peer = await fake.accept();
  await peer.expect('hello');
  peer.send({ id: null, error: { code: -32005, message: 'permission denied', data: { code: 'notPermitted' } } });
  peer.end();
  await answer;
});

test('another version of the protocol is not tried again', async (t) => {
  const fake = await startFake(t);
  const client = new Client(quick(fake.path));
  const answer = assert.rejects(client.status(), (error) => error instanceof UnsupportedProtocol && error.supported[0] === 2);
  const peer = await fake.accept();
  await peer.refuse('hello', -32001, 'unsupported protocol version 1', { code: 'unsupportedProtocol', supported: [2] });
  await answer;
  assert.equal(fake.peers.length, 1);
});

test('a peer that is not initd, or answers nonsense, fails the request', async (t) => {
  for (const [bytes, word] of [['HTTP/1.1 400 Bad Request\r\n\r\n', 'notInitd'], [frame('nonsense'), 'protocolError']]) {
    const fake = await startFake(t);
    const answer = assert.rejects(new Client(quick(fake.path)).status(), (error) => error instanceof ProtocolError && error.word === word);
    const peer = await fake.accept();
    peer.write(bytes);
    await answer;
  }
});

test('a message that is too large, and one that is not JSON, is refused here, and the connection goes on', async (t) => {
  const { client, peer } = await connected(t);
  await assert.rejects(client.ping({ text: 'x'.repeat(1 << 20) }), { word: 'frameTooLarge' });
  await assert.rejects(client.ping({ text: '\ud83d' }), TypeError);
  const answer = client.ping({});
  await peer.reply('ping', 'still here');
  assert.equal(await answer, 'still here');
});

test('a signal ends a wait on this side', async (t) => {
  const { client, peer } = await connected(t);
  const controller = new AbortController();
  const answer = assert.rejects(client.wait('ready', { signal: controller.signal }), /enough/);
  const { id } = await peer.expect('wait');
  controller.abort(new Error('enough'));
  await answer;
  peer.send({ id, result: { state: 'complete' } });
  await assert.rejects(client.wait('ready', { signal: controller.signal }), /enough/);
});

test('close fails the open requests, and the later ones, even while it connects', async (t) => {
  const { client, peer } = await connected(t);
  const open = assert.rejects(client.wait(), ConnectionClosed);
  await peer.expect('wait');
  await client.close();
  await open;
  await peer.expectEnd();
  await assert.rejects(client.status(), ConnectionClosed);

  const other = new Client(quick('/nowhere/initd.sock', { connectTimeout: Infinity }));
  const waiting = assert.rejects(other.status(), ConnectionClosed);
  await other.close();
  await waiting;
});

test('an unknown option is refused', () => {
  assert.throws(() => new Client({ timeout: 3 }), /unknown option "timeout"/);
});

test('large answers come in pages', async (t) => {
  const { client, peer } = await connected(t);
  const pages = async (answer, method, results) => {
    const asked = [];
    for (const result of results) asked.push((await peer.reply(method, result)).params);
    return [await answer, asked];
  };
  const [lines, ofLines] = await pages(client.logs({ limit: 9 }), 'logs', [{ lines: [3, 4], more: true, before: { line: 2 } }, { lines: [1, 2] }]);
  assert.deepEqual(lines, [1, 2, 3, 4]);
  assert.deepEqual(ofLines, [{ limit: 9 }, { limit: 9, before: { line: 2 } }]);
  const [history, ofHistory] = await pages(client.history({ usual: true, summaries: true }), 'history', [
    { passes: [], summaries: [{ pass: 2, initializers: ['b'] }, { pass: 3, initializers: [] }], usual: ['u'], more: true, before: 'x' },
    { passes: [], summaries: [{ pass: 2, instance: 'i', initializers: ['z'] }, { pass: 2, initializers: ['a'] }] },
  ]);
  const summaries = [{ pass: 2, instance: 'i', initializers: ['z'] }, { pass: 2, initializers: ['a', 'b'] }, { pass: 3, initializers: [] }];
  assert.deepEqual(history, { passes: [], summaries, usual: ['u'] });
  assert.deepEqual(ofHistory, [{ usual: true, summaries: true }, { summaries: true, before: 'x' }]);
});
