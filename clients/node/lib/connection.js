// A connection: one socket, and the requests of both directions.

import { ConnectionClosed, ConnectionLost, METHOD_NOT_FOUND, ProtocolError, fromWire, likeness } from './errors.js';
import { FrameReader, HELLO_LIMIT, encodeFrame } from './frames.js';
import { decode, encode } from './messages.js';
import { abortable, after } from './timing.js';

const FAREWELL = 500;

/**
 * Sends requests and matches their answers. Passes the supervisor's requests and notifications to `role.asked(request, connection)` and
 * `role.told(notification, connection)`, one after the other, in the order of their arrival.
 */
export class Connection {
  frameLimit = HELLO_LIMIT;
  /** Resolves with the reason when the connection has ended. Never rejects. */
  ended;
  #socket;
  #role;
  #reader = new FrameReader();
  #open = new Map();
  #lastId = 0;
  #reason;
  #complaint;
  #resolveEnded;

  constructor(socket, role = {}) {
    this.#socket = socket;
    this.#role = role;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    socket.on('data', (chunk) => this.#received(chunk));
    socket.on('end', () => this.#finished());
    socket.on('error', (error) => this.destroy(new ConnectionLost(`the connection was lost: ${error.message}`, { cause: error })));
    socket.on('close', () => this.destroy(new ConnectionLost('the connection was lost')));
  }

  get isOpen() {
    return this.#reason === undefined;
  }

  /**
   * Sends a request. The promise resolves with the result. It rejects with a `RequestError`, or with an error of its own, like the reason,
   * if the connection ends. `then` gets the result before any later message is handled. The request is forgotten when the signal is
   * aborted, and after `limit` ms, when the promise rejects with `late()`.
   */
  request(method, params, { signal, limit, late, then } = {}) {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = (this.#lastId += 1);
    const answer = new Promise((resolve, reject) => {
      this.#send({ id, method, params });
      this.#open.set(id, { resolve, reject, then });
    });
    const timer = limit === undefined ? undefined : after(limit, () => this.#open.get(id)?.reject(late()));
    return abortable(answer, signal).finally(() => {
      clearTimeout(timer);
      this.#open.delete(id);
    });
  }

  notify(method, params) {
    this.#send({ method, params });
  }

  answer(id, result) {
    this.#send({ id, result });
  }

  refuse(id, code, message) {
    this.#send({ id, error: { code, message } });
  }

  /** Whether sent messages have to wait in memory, because the supervisor doesn't read. */
  get isFull() {
    return this.#socket.writableNeedDrain;
  }

  /** Stops reading until `resume`, so the supervisor has to queue its messages. */
  pause() {
    this.#socket.pause();
  }

  resume() {
    this.#socket.resume();
  }

  /** Sends the queued messages, and ends. Open requests fail. Resolves when the socket is closed. */
  async close() {
    this.#settle(new ConnectionClosed('the connection was closed'));
    if (this.#socket.closed) return;
    const timer = setTimeout(() => this.#socket.destroy(), FAREWELL);
    this.#socket.resume();
    this.#socket.end();
    await new Promise((resolve) => {
      this.#socket.once('close', resolve);
    });
    clearTimeout(timer);
  }

  /** Ends at once. Open requests fail with `reason`. */
  destroy(reason = new ConnectionClosed('the connection was closed')) {
    this.#settle(reason);
    this.#socket.destroy();
  }

  #send(message) {
    if (!this.isOpen) throw likeness(this.#reason);
    this.#socket.write(encodeFrame(encode(message), this.frameLimit));
  }

  #received(chunk) {
    try {
      for (const payload of this.#reader.feed(chunk)) {
        if (!this.isOpen) return;
        this.#handle(decode(payload));
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.destroy(error);
    }
  }

  #handle(message) {
    if (message.kind === 'answer') this.#answered(message);
    else if (message.kind === 'notification') this.#role.told?.(message, this);
    else if (this.#role.asked !== undefined) this.#role.asked(message, this);
    else this.refuse(message.id, METHOD_NOT_FOUND, `unknown method ${message.method}`);
  }

  #answered({ id, result, error }) {
    if (id === null) {
      // The error belongs to no request. It is the reason if the connection ends now.
      this.#complaint = error === undefined ? undefined : fromWire(error);
      return;
    }
    const request = this.#open.get(id);
    if (request === undefined) return;
    this.#open.delete(id);
    if (error !== undefined) {
      request.reject(fromWire(error));
    } else {
      request.then?.(result);
      request.resolve(result);
    }
  }

  #finished() {
    const where = this.#reader.isBetweenFrames ? '' : ' in the middle of a message';
    this.destroy(this.#complaint ?? new ConnectionLost(`the supervisor closed the connection${where}`));
  }

  #settle(reason) {
    if (!this.isOpen) return;
    this.#reason = reason;
    for (const { reject } of this.#open.values()) reject(likeness(reason));
    this.#resolveEnded(reason);
  }
}
