import assert from 'node:assert/strict';
import { test } from './support/test.js';
import { ProtocolError } from '../lib/errors.js';
import { decode, encode, readable } from '../lib/messages.js';

const nested = (levels) => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

test('the three kinds of messages are told apart', () => {
  const read = (message) => decode(Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })));
  assert.deepEqual(read({ method: 'event' }), { kind: 'notification', method: 'event', params: {} });
  assert.deepEqual(read({ id: 'run-1', method: 'run', params: { a: 1 } }), { kind: 'request', id: 'run-1', method: 'run', params: { a: 1 } });
  assert.deepEqual(read({ id: 1, result: null }), { kind: 'answer', id: 1, result: null, error: undefined });
  assert.equal(read({ id: null, error: {} }).kind, 'answer');
});

test('what is not a message is refused', () => {
  const payloads = [
    '', '{}', '[]', '"event"', 'null', '{"jsonrpc":"2.0"}', '{"jsonrpc":"1.0","method":"a"}', '{"jsonrpc":"2.0","method":3}',
    '{"jsonrpc":"2.0","method":"a","params":[]}', '{"jsonrpc":"2.0","method":"a","id":1.5}', '{"jsonrpc":"2.0","method":"a","id":null}',
    '{"jsonrpc":"2.0","id":1,"result":1,"error":{}}', '{"jsonrpc":"2.0","method":"a"} x', '\ufeff{"jsonrpc":"2.0","method":"a"}',
  ]; // prettier-ignore
  for (const payload of payloads) assert.throws(() => decode(Buffer.from(payload)), ProtocolError, payload);
  assert.throws(() => decode(Buffer.from('{"jsonrpc":"2.0","method":"\xff"}', 'latin1')), ProtocolError);
});

test('an id that a number cannot hold is refused, so that no answer has a wrong one', () => {
  assert.throws(() => decode(Buffer.from('{"jsonrpc":"2.0","method":"a","id":9007199254740993}')), ProtocolError);
});

test('deep JSON is read', () => {
  const depth = 50_000;
  const payload = `{"jsonrpc":"2.0","method":"event","params":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`;
  assert.equal(decode(Buffer.from(payload)).method, 'event');
});

test('a message is written only as the supervisor can read it', () => {
  assert.equal(encode({ id: 1, method: 'ping', params: undefined }), '{"jsonrpc":"2.0","id":1,"method":"ping"}');
  assert.ok(encode({ params: { text: '🙂 \\ud83d "\\' } }));
  assert.ok(encode({ params: nested(31) }));
  assert.throws(() => encode({ params: nested(32) }), /32 levels/);
  for (const text of ['\ud83d', 'a\\\ud83d', '\udc00']) assert.throws(() => encode({ params: { text } }), /unpaired surrogate/);
  assert.throws(() => encode({ params: { '\ud83d': 1 } }), /unpaired surrogate/);
});

test('brackets in texts are not nesting', () => {
  assert.ok(encode({ params: { text: `"${'['.repeat(100)}\\"${'{'.repeat(100)}` } }));
});

test('a text for people is cut, and has no half characters', () => {
  assert.equal(readable('x'.repeat(5000)).length, 4096);
  assert.equal(readable('half \ud83d'), 'half \ufffd');
  assert.equal(readable(3), '3');
});
