// A worker at a fake supervisor.

import { once } from 'node:events';
import { Worker } from '../../lib/index.js';
import { Inbox, quick, startFake } from './fake-supervisor.js';

/** Starts a worker of these functions, and returns it with its registered connection. `lines` has its messages for people. */
export async function working(t, functions, options = {}) {
  const fake = await startFake(t);
  const lines = new Inbox();
  const worker = new Worker(quick(fake.path, { log: (line) => lines.put(line), ...options }));
  for (const [name, work] of Object.entries(functions)) worker.initializer(name, work);
  const ended = worker.run({ signals: false });
  t.after(async () => {
    const stopped = worker.stop();
    for (const peer of fake.peers) peer.end();
    await stopped;
  });
  const [peer] = await Promise.all([fake.registered(), once(worker, 'registered')]);
  return { fake, worker, ended, lines, peer };
}

/** Returns a function that ends when `release` is called. `begun` resolves when it has been called. */
export function held() {
  let release;
  let begin;
  const begun = new Promise((resolve) => {
    begin = resolve;
  });
  const released = new Promise((resolve) => {
    release = resolve;
  });
  const work = async (run) => {
    begin(run);
    await released;
  };
  return { work, begun, release };
}
