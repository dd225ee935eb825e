import assert from 'node:assert/strict';
import { copyOutput } from '../lib/output.js';
import { test } from './support/test.js';
import { working } from './support/working.js';

const nested = (levels) => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
const shared = { port: 8080 };
const cycle = { a: [{}] };
cycle.a[0].b = cycle;
const inner = { list: [] };
inner.list.push(inner.list);

test('an output is copied when it is set', () => {
  const value = { list: [1] };
  const copy = copyOutput(value);
  value.list.push(2);
  assert.deepEqual(copy, { list: [1] });
});

test('what JSON can hold is handed over', () => {
  class Shelf {
    titles = 100;
  }
  const values = [null, false, 0, -1.5, '', '🙂', [], {}, [shared, shared], { '': [{ 'a b': null }] }, JSON.parse('{"__proto__":{"a":1}}'), nested(29)];
  for (const value of values) assert.deepEqual(copyOutput(value), value);
  const others = [[new Shelf(), { titles: 100 }], [new Date(0), '1970-01-01T00:00:00.000Z'], [{ a: undefined, b: 1 }, { b: 1 }], [Object.create(null), {}]];
  for (const [value, copy] of others) assert.deepEqual(copyOutput(value), copy);
});

test('what JSON cannot hold is refused, with its place', () => {
  const refusals = [
    [{ a: [NaN] }, "at .a[0]: NaN isn't JSON"],
    [Infinity, "Infinity isn't JSON"],
    [{ 'a b': -Infinity }, `at ["a b"]: -Infinity isn't JSON`],
    [undefined, "undefined isn't JSON"],
    [[1, undefined], "at [1]: undefined isn't JSON"],
    [{ n: 1n }, "at .n: a value of type bigint isn't JSON"],
    [() => {}, "a value of type function isn't JSON"],
    [{ close() {} }, "at .close: a value of type function isn't JSON"],
    [Symbol('a'), "a value of type symbol isn't JSON"],
    [{ m: new Map([[1, 2]]) }, "at .m: a value of type Map isn't JSON; use Object.fromEntries(map)"],
    [new Set(), "a value of type Set isn't JSON; use [...set]"],
    [{ p: Promise.resolve() }, "at .p: a value of type Promise isn't JSON; await it"],
    [new Error('x'), "a value of type Error isn't JSON"],
    [new Uint8Array(1), "a value of type Uint8Array isn't JSON"],
    [{ d: new Date(NaN) }, "at .d: an invalid Date isn't JSON"],
    [cycle, "at .a[0].b: a cycle isn't JSON"],
    [inner, "at .list[0]: a cycle isn't JSON"],
    [{ t: 'half \ud83d' }, "at .t: a text with an unpaired surrogate isn't JSON"],
    [{ '\ud83d': 1 }, `at ["\\ud83d"]: the name has an unpaired surrogate, which isn't JSON`],
    [nested(30), 'it is nested more than 29 levels deep; use fewer levels'],
  ];
  for (const [value, why] of refusals) assert.throws(() => copyOutput(value), { name: 'TypeError', message: `cannot hand over the output: ${why}` });
});

test('an output that JSON cannot hold fails the run, and the run is answered', async (t) => {
  let value;
  const { peer } = await working(t, { a: (run) => run.output(value) });
  for (const [index, [given, why]] of [[{ a: [NaN] }, 'at .a[0]: NaN'], [new Map(), 'a value of type Map'], [{ n: 1n }, 'at .n: a value of type bigint'], [cycle, 'at .a[0].b: a cycle']].entries()) {
    value = given;
    peer.run(index + 1, 'a');
    const { id, error } = await peer.receive();
    assert.deepEqual([id, error.code], [`run-${index + 1}`, 1]);
    assert.ok(error.message.startsWith(`cannot hand over the output: ${why} isn't JSON`), error.message);
  }
});
