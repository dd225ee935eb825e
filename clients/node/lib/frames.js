// Frames: a length of 4 bytes, big-endian, then as many bytes of JSON. Every frame begins with a zero byte.

import { FrameTooLarge, ProtocolError } from './errors.js';

const HEADER = 4;

/** The largest payload that a supervisor accepts before it has answered `hello`, in bytes. */
export const HELLO_LIMIT = 4096;

/** Returns one frame around `payload`. Throws `FrameTooLarge` if the supervisor would refuse it. */
export function encodeFrame(payload, limit) {
  const length = Buffer.byteLength(payload);
  if (length > limit) {
    throw new FrameTooLarge(`cannot send a message of ${length} bytes: the supervisor accepts ${limit}; send less`);
  }
  const frame = Buffer.allocUnsafe(HEADER + length);
  frame.writeUInt32BE(length, 0);
  frame.write(payload, HEADER);
  return frame;
}

/** Splits a stream of bytes into payloads. The reader keeps only bytes that have arrived, regardless of the announced length. */
export class FrameReader {
  #chunks = [];
  #size = 0;
  #needed = HEADER;

  /** Yields each payload that `chunk` completes. Throws `ProtocolError` at a frame that no supervisor sends. */
  *feed(chunk) {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    requireZero(this.#chunks[0]);
    // Chunks are joined once a frame is complete, so a frame of 16 MiB isn't copied for each chunk.
    if (this.#size < this.#needed) return;
    let rest = this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#keep(rest, HEADER);
    while (rest.length > 0) {
      requireZero(rest);
      if (rest.length < HEADER) break;
      const end = HEADER + rest.readUInt32BE(0);
      if (end === HEADER) throw new ProtocolError('cannot read a frame of 0 bytes: a message has at least 2');
      if (rest.length < end) {
        this.#needed = end;
        break;
      }
      const payload = rest.subarray(HEADER, end);
      rest = rest.subarray(end);
      this.#keep(rest, HEADER);
      yield payload;
    }
  }

  /** Whether all bytes were returned in payloads: an end of the stream here truncates no message. */
  get isBetweenFrames() {
    return this.#size === 0;
  }

  #keep(rest, needed) {
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
    this.#needed = needed;
  }
}

/** A length below 16 MiB begins with a zero byte; HTTP, TLS and text don't. */
function requireZero(bytes) {
  if (bytes[0] !== 0) {
    throw new ProtocolError(`the peer is not initd: it sent a frame that begins with byte ${bytes[0]}; check the socket's path`, {
      word: 'notInitd',
    });
  }
}
