// Tests the messages of a worker about its runs, for the people at its terminal.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from './support/test.js';
import { working } from './support/working.js';

test('an error of a function is logged with its stack, its causes, the initializer and the run', async (t) => {
  let thrown;
  const { peer, lines } = await working(t, {
    sync: function shelve() {
      if (thrown !== undefined) throw thrown;
      return undefined.titles;
    },
  });
  peer.run(7, 'sync');
  assert.match(await lines.take('a line'), /^sync failed in run 7: TypeError: Cannot read properties of undefined[^]*at shelve .*log\.test\.js:\d+:\d+/);
  const hostile = { [Symbol.for('nodejs.util.inspect.custom')]: () => assert.fail('hostile'), toString: () => 'shown' };
  for (const [value, told] of [[new Error('outer', { cause: new Error('inner') }), /Error: outer[^]*cause[^]*Error: inner/], ['text', /failed in run 8: 'text'$/], [hostile, /failed in run 8: shown$/]]) {
    thrown = value;
    peer.run(8, 'sync');
    assert.match(await lines.take('a line'), told);
  }
});

test('what a cancelled function throws is not told', async (t) => {
  const { peer, lines } = await working(t, {
    a: async (run) => {
      run.progress('begun');
      await sleep(60_000, undefined, { signal: run.signal });
    },
    b: () => {
      throw new Error('told');
    },
  });
  peer.run(1, 'a');
  await peer.expect('progress');
  peer.cancel(1);
  assert.equal((await peer.receive()).error.code, -32008);
  peer.run(2, 'b');
  assert.match(await lines.take('a line'), /^b failed in run 2/);
});

test('a returned value is ignored, and a line says so once for each initializer', async (t) => {
  const { peer, lines } = await working(t, {
    plain: () => {},
    output: (run) => {
      run.output(1);
      return 2;
    },
    a: () => ({ titles: 100 }),
    b: async () => null,
  });
  const results = [['plain', {}], ['output', { output: 1 }], ['a', {}], ['a', {}], ['b', {}]];
  for (const [index, [name, result]] of results.entries()) {
    peer.run(index + 1, name);
    assert.deepEqual((await peer.receive()).result, result, name);
  }
  for (const name of ['a', 'b']) assert.equal(await lines.take('a line'), `${name}: the returned value is ignored; hand it over with run.output(value)`);
});

test('a fraction out of range counts as 0 or 1, and one that is no number is ignored, with a line once for a run', async (t) => {
  const { peer, lines } = await working(t, {
    a: (run) => {
      for (const fraction of [-0.1, 1.1, -Infinity, Infinity, NaN, null, 3n, {}]) run.progress(fraction);
      run.progress(NaN, 'words');
    },
  });
  for (const number of [1, 2]) {
    peer.run(number, 'a');
    for (const fraction of [0, 1, 0, 1]) assert.deepEqual((await peer.expect('progress')).params, { run: number, fraction });
    assert.deepEqual((await peer.expect('progress')).params, { run: number, message: 'words' });
    assert.deepEqual((await peer.receive()).result, {});
    assert.equal(await lines.take('a line'), `a: run ${number} reports a fraction that is no number, which is ignored: NaN`);
  }
});

test('the message for an output that no message can hold names the limits', async (t) => {
  const { peer } = await working(t, { a: (run) => run.output('x'.repeat(1 << 20)) });
  peer.run(1, 'a');
  assert.match((await peer.receive()).error.message, /^cannot hand over the output: .* the supervisor accepts 1048576; .*at most 64 KiB as JSON, unless .* outputBytes; write it to a file/);
});
