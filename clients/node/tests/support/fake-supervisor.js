// A supervisor that plays a script: for events that a real one can't produce on demand.

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import assert from 'node:assert/strict';

const DEADLINE = 5000;

export const STATUS = { seq: 7, instance: 'one', lifecycle: 'inactive', initializers: [] };

/** Listens in a directory of its own. `accept()` resolves with the next connection. The test `t` closes it. */
export async function startFake(t) {
  const directory = await mkdtemp(join(tmpdir(), 'initd-'));
  const path = join(directory, 'initd.sock');
  const fake = new FakeSupervisor(path);
  await fake.listen();
  t.after(async () => {
    await fake.close();
    await rm(directory, { recursive: true });
  });
  return fake;
}

class FakeSupervisor {
  constructor(path) {
    this.path = path;
  }

  async listen() {
    this.peers = [];
    this.accepted = new Inbox();
    this.server = createServer((socket) => {
      const peer = new Peer(socket);
      this.peers.push(peer);
      this.accepted.put(peer);
    });
    this.server.listen(this.path);
    await once(this.server, 'listening');
  }

  /** Returns the next connection. */
  accept() {
    return this.accepted.take('a connection');
  }

  /** Returns the next connection, after hello. */
  async greeted(changes) {
    const peer = await this.accept();
    await peer.greet(changes);
    return peer;
  }

  /** Returns the next connection, after hello and register. */
  async registered() {
    const peer = await this.greeted();
    await peer.reply('register', { registered: [] });
    return peer;
  }

  async close() {
    for (const { socket } of this.peers) socket.destroy();
    await new Promise((resolve) => {
      this.server.close(resolve);
    });
  }
}

/** One connection of a client. */
class Peer {
  #buffer = Buffer.alloc(0);
  #inbox = new Inbox();

  constructor(socket) {
    this.socket = socket;
    socket.on('data', (chunk) => this.#received(chunk));
    socket.on('error', () => {});
    socket.on('close', () => this.#inbox.put(null));
  }

  write(bytes) {
    this.socket.write(bytes);
  }

  send(...messages) {
    this.write(Buffer.concat(messages.map((message) => frame(JSON.stringify({ jsonrpc: '2.0', ...message })))));
  }

  /** Returns the next message, or null at the end. */
  receive() {
    return this.#inbox.take('a message');
  }

  async expect(method) {
    const message = await this.receive();
    assert.equal(message?.method, method, `expected ${method}, got ${JSON.stringify(message)}`);
    return message;
  }

  async expectEnd() {
    assert.equal(await this.receive(), null);
  }

  async reply(method, result) {
    const request = await this.expect(method);
    this.send({ id: request.id, result });
    return request;
  }

  async refuse(method, code, message, data) {
    const request = await this.expect(method);
    this.send({ id: request.id, error: { code, message, data } });
  }

  greet(changes) {
    const server = { name: 'initd', version: '0.1.0' };
    return this.reply('hello', { protocol: 1, server, instance: 'one', pid: 1, limits: { frameBytes: 1 << 20 }, ...changes });
  }

  event(params) {
    this.send({ method: 'event', params });
  }

  run(number, initializer, changes) {
    this.send(runOf(number, initializer, changes));
  }

  cancel(number, reason = 'deactivated') {
    this.send({ method: 'cancel', params: { run: number, reason } });
  }

  end() {
    this.socket.end();
  }

  #received(chunk) {
    this.#buffer = Buffer.concat([this.#buffer, chunk]);
    while (this.#buffer.length >= 4) {
      const end = 4 + this.#buffer.readUInt32BE(0);
      if (this.#buffer.length < end) return;
      this.#inbox.put(JSON.parse(this.#buffer.subarray(4, end).toString()));
      this.#buffer = this.#buffer.subarray(end);
    }
  }
}

/** Values that arrive, and a promise for the next value, with a deadline. */
export class Inbox {
  #values = [];
  #takers = [];

  put(value) {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#values.push(value);
    else taker(value);
  }

  async take(what) {
    if (this.#values.length > 0) return this.#values.shift();
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${what} did not come within ${DEADLINE} ms`)), DEADLINE);
    });
    const value = new Promise((resolve) => {
      this.#takers.push(resolve);
    });
    return Promise.race([value, late]).finally(() => clearTimeout(timer));
  }
}

export function runOf(number, initializer, changes) {
  const params = { run: number, initializer, pass: 1, phase: 'launch', attempt: 1, ...changes };
  return { id: `run-${number}`, method: 'run', params };
}

export function frame(payload) {
  const header = Buffer.alloc(4);
  header.writeUInt32BE(Buffer.byteLength(payload), 0);
  return Buffer.concat([header, Buffer.from(payload)]);
}

/** Options for tests without output and without delays. */
export function quick(path, changes) {
  return { path, minDelay: 1, maxDelay: 10, log: () => {}, ...changes };
}
