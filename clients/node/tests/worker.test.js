import assert from 'node:assert/strict';
import { test } from './support/test.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cancelled, Worker } from '../lib/index.js';
import { runOf, startFake, quick } from './support/fake-supervisor.js';
import { held, working } from './support/working.js';

const answer = (number, rest) => ({ jsonrpc: '2.0', id: `run-${number}`, ...rest });
const failure = (number, code, message) => answer(number, { error: { code, message } });

test('declarations are registered as given, with durations in seconds', async (t) => {
  const fake = await startFake(t);
  const worker = new Worker(quick(fake.path, { name: 'shelf-worker' }));
  const options = { priority: 'appActive', dependencies: ['b'], perProcess: true, optional: true, description: 'text' };
  worker.initializer('a', { ...options, timeout: 5000, retry: 3 }, () => {});
  worker.initializer('b', { retry: { attempts: 2, delay: 70, factor: 1.5, maxDelay: 2500 } }, () => {});
  worker.initializer('c', () => {});
  const registered = new Promise((resolve) => {
    worker.once('registered', resolve);
  });
  const ended = worker.run({ signals: false });
  const peer = await fake.accept();
  assert.equal((await peer.greet()).params.client.name, 'shelf-worker');
  const { params } = await peer.reply('register', { registered: ['a', 'b', 'c'] });
  assert.deepEqual(params.initializers, [
    { name: 'a', ...options, timeout: 5, retry: { attempts: 3 } },
    { name: 'b', retry: { attempts: 2, delay: 0.07, factor: 1.5, maxDelay: 2.5 } },
    { name: 'c' },
  ]);
  assert.deepEqual(await registered, ['a', 'b', 'c']);
  const stopped = worker.stop();
  assert.deepEqual((await peer.reply('unregister', {})).params, { names: ['a', 'b', 'c'] });
  await peer.expectEnd();
  await Promise.all([stopped, ended]);
});

test('functions of every kind that can end are run, and their results are ignored', async (t) => {
  const functions = {
    'async-function': async () => 'ignored',
    'arrow-function': () => () => {},
    'bound-function': async function bound() {
      await null;
      assert.equal(this, 3);
    }.bind(3),
    thenable: () => ({ then: (resolve) => setImmediate(resolve) }),
  };
  const { peer } = await working(t, functions);
  for (const [index, name] of Object.keys(functions).entries()) {
    peer.run(index + 1, name);
    assert.deepEqual(await peer.receive(), answer(index + 1, { result: {} }), name);
  }
});

test('functions that never do their work are refused when they are declared', () => {
  const worker = new Worker('/nowhere');
  const refused = (work, why) => assert.throws(() => worker.initializer('a', work), { name: 'TypeError', message: why });
  refused(function* generator() {}, /cannot declare a: .* generator .* remove its \*/);
  refused(async function* generator() {}, /generator/);
  refused(function* generator() {}.bind(null), /generator/);
  refused(class Shelf {}, /new Shelf\(\)/);
  refused(3, /a value of type number is not a function/);
  refused(undefined, /undefined is not a function/);
  worker.initializer('a', () => {}); // The name is still free.
});

test('wrong declarations are refused', async () => {
  const worker = new Worker('/nowhere');
  worker.initializer('a', () => {});
  assert.throws(() => worker.initializer('a', () => {}), /two initializers have this name; rename one of them/);
  assert.throws(() => worker.initializer('b', { dependson: [] }, () => {}), /unknown option "dependson"/);
  const durations = [[{ timeout: -1 }, 'timeout of -1'], [{ retry: { delay: -5 } }, 'delay of -5'], [{ retry: { maxDelay: Infinity } }, 'maxDelay of Infinity']];
  for (const [options, what] of durations) {
    assert.throws(() => worker.initializer('b', options, () => {}), { name: 'RangeError', message: new RegExp(`^cannot declare b with a ${what}: .* milliseconds`) });
  }
  await assert.rejects(new Worker('/nowhere').run(), /it has no initializer/);
});

test('a function that returns a generator fails its run', async (t) => {
  const { peer } = await working(t, { a: () => (function* generator() {})(), b: () => (async function* generator() {})() });
  for (const [index, name] of ['a', 'b'].entries()) {
    peer.run(index + 1, name);
    assert.match((await peer.receive()).error.message, /returned a generator/);
  }
});

test('what a function throws is the message of the failure', async (t) => {
  const thrown = [new Error('HTTP 503 漢字'), new RangeError(''), 'text', undefined, { toString: null }, new Error('x'.repeat(10_000)), new Error('half \ud83d')];
  const messages = ['HTTP 503 漢字', 'RangeError', 'text', 'undefined', 'the function threw a value that cannot be shown', 'x'.repeat(4096), 'half \ufffd'];
  let next;
  const { peer } = await working(t, {
    sync: () => {
      throw next;
    },
    async: async () => {
      await null;
      throw next;
    },
  });
  let number = 0;
  for (const [index, value] of thrown.entries()) {
    for (const name of ['sync', 'async']) {
      next = value;
      peer.run((number += 1), name);
      assert.deepEqual(await peer.receive(), failure(number, 1, messages[index]));
    }
  }
});

test('a function gets what the run brings', async (t) => {
  let seen;
  const { peer } = await working(t, {
    a: (run) => {
      seen = run;
    },
  });
  peer.run(7, 'a', { pass: 3, phase: 'of-the-future', attempt: 2, timeout: 0.07, fence: 42, traceparent: '00-1-2-01', inputs: { b: { 'é': [null] } } });
  await peer.receive();
  const { number, initializer, pass, phase, attempt, timeout, fence, traceparent, inputs } = seen;
  assert.deepEqual([number, initializer, pass, phase, attempt, timeout, fence, traceparent], [7, 'a', 3, 'of-the-future', 2, 70, 42, '00-1-2-01']);
  assert.deepEqual(inputs, { b: { 'é': [null] } });
  peer.run(8, 'a');
  await peer.receive();
  assert.deepEqual([seen.inputs, seen.timeout, seen.fence], [{}, undefined, undefined]);
});

test('progress and extensions are reported while the run goes on, and wrong extensions throw', async (t) => {
  const { peer } = await working(t, {
    a: (run) => {
      run.progress(0.5);
      run.progress(1, 'last');
      run.progress('only words');
      run.extend(30_000);
      for (const wrong of [0, -1, NaN, 1e12]) assert.throws(() => run.extend(wrong), RangeError);
    },
  });
  peer.run(1, 'a');
  const reports = [{ fraction: 0.5 }, { fraction: 1, message: 'last' }, { message: 'only words' }, { extend: 30 }];
  for (const report of reports) assert.deepEqual((await peer.expect('progress')).params, { run: 1, ...report });
  assert.deepEqual(await peer.receive(), answer(1, { result: {} }));
});

test('reports are left out while the supervisor does not read, and extensions are not', async (t) => {
  const { peer } = await working(t, {
    a: (run) => {
      for (let count = 0; count < 20_000; count += 1) run.progress(0.5, 'x'.repeat(500));
      run.extend(30_000);
    },
  });
  peer.run(1, 'a');
  const reports = [];
  for (let message = await peer.receive(); message.method === 'progress'; message = await peer.receive()) reports.push(message.params);
  assert.ok(reports.length < 10_000, `${reports.length} reports`);
  assert.deepEqual(reports.at(-1), { run: 1, extend: 30 });
});

test('the last output is handed over, also a secret, null and false', async (t) => {
  const outputs = [[[1, { port: 8080 }], { output: { port: 8080 } }], [[null], { output: null }], [[false], { output: false }]];
  let values;
  const { peer } = await working(t, { a: (run) => values.forEach((value) => run.output(value)), b: (run) => run.output('s', { secret: true }) });
  for (const [index, [list, result]] of outputs.entries()) {
    values = list;
    peer.run(index + 1, 'a');
    assert.deepEqual(await peer.receive(), answer(index + 1, { result }));
  }
  peer.run(9, 'b');
  assert.deepEqual(await peer.receive(), answer(9, { result: { output: 's', secret: true } }));
});

test('an output that cannot be sent fails the run, and the run is answered', async (t) => {
  const values = ['\ud83d', 'x'.repeat(1 << 20), JSON.parse('['.repeat(30) + ']'.repeat(30))];
  let value;
  const { peer } = await working(t, { a: (run) => run.output(value) });
  for (const [index, each] of values.entries()) {
    value = each;
    peer.run(index + 1, 'a');
    const { id, error } = await peer.receive();
    assert.deepEqual([id, error.code], [`run-${index + 1}`, 1]);
  }
});

test('a cancel aborts the signal, and is answered once, when the function has ended', async (t) => {
  const { work, begun, release } = held();
  const { peer } = await working(t, { a: work, b: () => {} });
  peer.run(1, 'a');
  const run = await begun;
  peer.cancel(1, 'deactivated');
  peer.cancel(1, 'shutdown');
  await new Promise((resolve) => {
    run.signal.addEventListener('abort', resolve);
  });
  assert.ok(run.signal.reason instanceof Cancelled);
  assert.deepEqual([run.signal.reason.reason, run.signal.reason.code, run.signal.reason.word], ['deactivated', -32008, 'cancelled']);
  run.progress(0.5); // This isn't reported: the run is being stopped.
  peer.run(2, 'b');
  assert.deepEqual(await peer.receive(), answer(2, { result: {} }), 'run 1 is not answered while its function goes on');
  release();
  assert.deepEqual(await peer.receive(), failure(1, -32008, 'cancelled'));
  peer.cancel(1);
  peer.run(3, 'b');
  assert.deepEqual(await peer.receive(), answer(3, { result: {} }));
});

test('a cancelled run is answered so, whatever its function does then', async (t) => {
  const ends = { returns: () => {}, throws: () => assert.fail('boom'), outputs: (run) => run.output(1) };
  const functions = Object.fromEntries(
    Object.entries(ends).map(([name, end]) => [
      name,
      async (run) => {
        run.progress('begun');
        await sleep(60_000, undefined, { signal: run.signal }).catch(() => {});
        return end(run);
      },
    ]),
  );
  const { peer } = await working(t, functions);
  for (const [index, name] of Object.keys(ends).entries()) {
    peer.run(index + 1, name);
    await peer.expect('progress');
    peer.cancel(index + 1);
    assert.deepEqual(await peer.receive(), failure(index + 1, -32008, 'cancelled'), name);
  }
});

test('a run whose cancel comes in the same write is not begun', async (t) => {
  let begun = 0;
  const { peer } = await working(t, { a: () => void (begun += 1) });
  peer.send(runOf(1, 'a'), { method: 'cancel', params: { run: 1, reason: 'deactivated' } });
  assert.deepEqual(await peer.receive(), failure(1, -32008, 'cancelled'));
  assert.equal(begun, 0);
});

test('several runs go on at once', async (t) => {
  const [first, second] = [held(), held()];
  const { peer } = await working(t, { a: first.work, b: second.work });
  peer.run(1, 'a');
  peer.run(2, 'b');
  await Promise.all([first.begun, second.begun]);
  second.release();
  assert.equal((await peer.receive()).id, 'run-2');
  first.release();
  assert.equal((await peer.receive()).id, 'run-1');
});

test('unknown requests and initializers are answered, and unknown notifications ignored', async (t) => {
  const { peer } = await working(t, { a: () => {} });
  peer.send({ id: 'claim-1', method: 'claim', params: {} }, { method: 'weather', params: {} }, { method: 'cancel', params: {} });
  assert.deepEqual(await peer.receive(), { jsonrpc: '2.0', id: 'claim-1', error: { code: -32601, message: 'unknown method claim' } });
  peer.run(1, 'stranger');
  const { error } = await peer.receive();
  assert.deepEqual([error.code, /stranger/.test(error.message)], [-32602, true]);
  peer.send({ id: 'run-2', method: 'run', params: { initializer: 'a' } });
  assert.equal((await peer.receive()).error.code, -32602);
});
