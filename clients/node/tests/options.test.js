// Tests that invalid arguments are refused at the call.

import assert from 'node:assert/strict';
import { Client, Worker } from '../lib/index.js';
import { test } from './support/test.js';
import { working } from './support/working.js';

test('options of a worker and a client that cannot be used are refused, by name', () => {
  const wrong = [
    [{ cancelGrace: '4s' }, TypeError, /cancelGrace of "4s": it must be a number of milliseconds/],
    [{ cancelGrace: -1 }, RangeError, /cancelGrace of -1: .* milliseconds/],
    [{ connectTimeout: 'soon' }, TypeError, /connectTimeout of "soon": .* milliseconds/],
    [{ connectTimeout: NaN }, RangeError, /connectTimeout of NaN: .* milliseconds/],
    [{ minDelay: -4 }, RangeError, /minDelay of -4: .* milliseconds/],
    [{ minDelay: 0 }, RangeError, /minDelay of 0: .* milliseconds, at least 1/],
    [{ maxDelay: NaN }, RangeError, /maxDelay of NaN: .* milliseconds/],
    [{ maxDelay: Infinity }, RangeError, /maxDelay of Infinity: .* milliseconds/],
    [{ name: 5 }, TypeError, /its name is a value of type number, not a string/],
    [{ path: 5 }, TypeError, /its path is a value of type number, not a string/],
    [{ log: 'error' }, TypeError, /its log is a value of type string, not a function/],
    [{ cancelgrace: 4 }, TypeError, /unknown option "cancelgrace"; the options are path, .*cancelGrace/],
    [5, TypeError, /its options are a value of type number, not an object/],
    [null, TypeError, /its options are null, not an object/],
    [new Map(), TypeError, /its options are a value of type Map, not an object/],
  ];
  for (const [options, Refusal, message] of wrong) {
    const refused = (error) => error instanceof Refusal && error.message.startsWith('cannot make a worker') && message.test(error.message);
    assert.throws(() => new Worker(options), refused, String(message));
    if (options?.cancelGrace === undefined && options?.cancelgrace === undefined) assert.throws(() => new Client(options), { message });
  }
  assert.ok(new Worker({ connectTimeout: Infinity, cancelGrace: 0, path: undefined }));
});

test('an unknown option of any method is refused, and the known ones are named', async () => {
  const client = new Client('/nowhere');
  const calls = {
    connect: (options) => client.connect(options),
    request: (options) => client.request('ping', {}, options),
    ping: (options) => client.ping({}, options),
    status: (options) => client.status(options),
    launch: (options) => client.launch(options),
    activate: (options) => client.activate(options),
    deactivate: (options) => client.deactivate(options),
    wait: (options) => client.wait('ready', options),
    rerun: (options) => client.rerun(['a'], options),
    cancel: (options) => client.cancel(['a'], options),
    unregister: (options) => client.unregister(['a'], options),
    logs: (options) => client.logs(options),
    history: (options) => client.history(options),
    reload: (options) => client.reload(options),
    shutdown: (options) => client.shutdown(options),
    subscribe: (options) => client.subscribe([], options),
    hold: (options) => client.hold(options),
    'hold of a scope': (options) => client.hold(() => {}, options),
    run: (options) => new Worker('/nowhere').run(options),
  };
  for (const [name, call] of Object.entries(calls)) {
    await assert.rejects(call({ singal: 1 }), { name: 'TypeError', message: /^cannot .*: unknown option "singal"; the options are .*signal/ }, name);
    await assert.rejects(call(AbortSignal.abort()), { name: 'TypeError', message: /its options are a value of type AbortSignal/ }, name);
  }
  await assert.rejects(client.wait({ initialiser: 'a' }), /unknown option "initialiser"; the options are initializer, pass/);
});

test('an unknown option of an output fails the run, instead of showing a secret', async (t) => {
  let options;
  const { peer } = await working(t, { a: (run) => run.output('pw', options) });
  const wrong = [[{ secrt: true }, 'unknown option "secrt"; the options are secret'], [{ secret: 'no' }, 'secret is a value of type string, not a boolean'], [true, 'its options are a value of type boolean, not an object with secret']];
  for (const [index, [given, message]] of wrong.entries()) {
    options = given;
    peer.run(index + 1, 'a');
    assert.equal((await peer.receive()).error.message, `cannot hand over the output: ${message}`);
  }
});

test('a declaration that the supervisor would refuse is refused where it is made', () => {
  const worker = new Worker('/nowhere');
  const refused = (name, options, message) => assert.throws(() => worker.initializer(name, options, () => {}), { message });
  for (const name of ['a b', '', '.a', 'é', 'a\n', 'a'.repeat(129)]) {
    refused(name, {}, `cannot declare ${JSON.stringify(name)}: a name has 1 to 128 ASCII letters, digits, or one of ._:/@+-, and begins with a letter or digit`);
  }
  refused(3, {}, /its name is a value of type number/);
  refused('a', { priority: 'appactive' }, 'cannot declare a with a priority of "appactive": it must be "appLaunch" or "appActive"');
  refused('a', { dependencies: 'b' }, /its dependencies are a value of type string, not an array/);
  refused('a', { dependencies: ['b', 'c d'] }, /^cannot declare a with a dependency on "c d": a name has/);
  refused('a', { dependencies: ['b', 'b'] }, /it depends on b twice/);
  refused('a', { timeout: '5s' }, /^cannot declare a with a timeout of "5s": .* milliseconds/);
  refused('a', { retry: { atempts: 3 } }, /unknown option "atempts"; the options are attempts, delay, factor, maxDelay/);
  refused('a', { retry: 0 }, /with 0 attempts: it must be a whole number, at least 1/);
  refused('a', { retry: 1.5 }, /with 1.5 attempts/);
  refused('a', { retry: 'twice' }, /its options are a value of type string/);
  refused('a', { retry: { factor: 0.5 } }, /with a factor of 0.5/);
  refused('a', { retry: { delay: '1s' } }, /with a delay of "1s": .* milliseconds/);
  refused('a', { optional: 'yes' }, /its optional is a value of type string, not a boolean/);
  refused('a', { description: 5 }, /its description is a value of type number/);
  refused('a', null, /its options are null/);
  worker.initializer(`a._:/@+-${'z'.repeat(120)}`, {}, () => {});
});
