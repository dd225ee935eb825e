import assert from 'node:assert/strict';
import { test } from './support/test.js';
import { NoSupervisor, socketPath } from '../lib/index.js';

test('the first of the four paths that is set is used, and an empty variable is not set', () => {
  const env = { INITD_SOCKET: '/a', XDG_RUNTIME_DIR: '/b' };
  assert.equal(socketPath('/given', env), '/given');
  assert.equal(socketPath(undefined, env), '/a');
  assert.equal(socketPath(undefined, { ...env, INITD_SOCKET: '' }), '/b/initd.sock');
  if (process.geteuid() === 0) assert.equal(socketPath(undefined, { XDG_RUNTIME_DIR: '' }), '/run/initd.sock');
  else assert.throws(() => socketPath(undefined, {}), NoSupervisor);
});

test('a path that the system would cut is refused', () => {
  const longest = process.platform === 'linux' ? 107 : 103;
  assert.equal(socketPath('x'.repeat(longest)).length, longest);
  assert.throws(() => socketPath('x'.repeat(longest + 1)), /use a shorter one/);
  assert.throws(() => socketPath('é'.repeat(60)), /120 bytes/);
});

test('a path that is not a string is refused', () => {
  assert.throws(() => socketPath(3), /a value of type number, not a string/);
});

test('an empty path, and one that is not UTF-8, are refused', () => {
  for (const path of ['', 'a\0b', 'a\ufffd']) assert.throws(() => socketPath(path), NoSupervisor);
});
