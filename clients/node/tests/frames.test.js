import assert from 'node:assert/strict';
import { test } from './support/test.js';
import { FrameTooLarge, ProtocolError } from '../lib/errors.js';
import { FrameReader, encodeFrame } from '../lib/frames.js';

const texts = (payloads) => [...payloads].map(String);

test('a frame is a big-endian length and the bytes of its payload', () => {
  assert.deepEqual(encodeFrame('é', 10), Buffer.from([0, 0, 0, 2, 0xc3, 0xa9]));
});

test('a payload beyond the limit is refused, counted in bytes', () => {
  assert.equal(encodeFrame('é', 2).length, 6);
  assert.throws(() => encodeFrame('éa', 2), FrameTooLarge);
});

test('frames are found however the stream is divided', () => {
  const stream = Buffer.concat([encodeFrame('first', 100), encodeFrame('2', 100), encodeFrame('third', 100)]);
  for (let step = 1; step <= stream.length; step += 1) {
    const reader = new FrameReader();
    const found = [];
    for (let at = 0; at < stream.length; at += step) found.push(...texts(reader.feed(stream.subarray(at, at + step))));
    assert.deepEqual(found, ['first', '2', 'third'], `in steps of ${step}`);
    assert.ok(reader.isBetweenFrames);
  }
});

test('a frame of almost 16 MiB is accepted, in linear time', () => {
  const payload = 'x'.repeat((1 << 24) - 1);
  const stream = encodeFrame(payload, Infinity);
  const reader = new FrameReader();
  const found = [];
  for (let at = 0; at < stream.length; at += 16384) found.push(...reader.feed(stream.subarray(at, at + 16384)));
  assert.equal(found.length, 1);
  assert.ok(found[0].equals(Buffer.from(payload)));
});

test('a first byte that is not 0 is reported as not initd, before the header is complete', () => {
  for (const bytes of ['HTTP/1.1 400', 'H', '\x16\x03\x01', '\x01\0\0\0']) {
    assert.throws(
      () => [...new FrameReader().feed(Buffer.from(bytes, 'latin1'))],
      (error) => error instanceof ProtocolError && error.word === 'notInitd' && /not initd/.test(error.message),
    );
  }
});

test('frames before a bad one are returned first', () => {
  const payloads = new FrameReader().feed(Buffer.concat([encodeFrame('good', 100), Buffer.from('bad')]));
  assert.equal(String(payloads.next().value), 'good');
  assert.throws(() => payloads.next(), ProtocolError);
});

test('a length of 0 is refused', () => {
  assert.throws(() => [...new FrameReader().feed(Buffer.alloc(4))], ProtocolError);
});

test('an end in the middle of a frame is noticed', () => {
  const reader = new FrameReader();
  assert.deepEqual([...reader.feed(Buffer.from([0, 0]))], []);
  assert.ok(!reader.isBetweenFrames);
});
