#!/usr/bin/env node
// The program that the conformance scenarios drive: it performs the steps in its argument, and writes a line for each event.

import { setTimeout as sleep } from 'node:timers/promises';
import { Client, RequestError, Worker } from '../lib/index.js';
import { perform } from './steps.js';

const CANCEL_GRACE = 1250;
const LONG = 2 ** 30;

const say = (...words) => process.stdout.write(`${words.join(' ')}\n`);

const { client: name, initializers, subscribe, calls = [] } = JSON.parse(process.argv[2]);
const client = new Client({ name, connectTimeout: Infinity });
const leaving = new AbortController();

async function serve() {
  const worker = new Worker({ name, cancelGrace: CANCEL_GRACE });
  for (const { name: initializer, steps = [], ...options } of initializers) {
    worker.initializer(initializer, inMilliseconds(options), (run) => perform(run, steps, say));
  }
  worker.on('registered', () => say('connected'));
  worker.once('registered', () => void call());
  worker.on('lost', () => say('lost'));
  worker.on('answered', (run) => say('done', run.initializer, run.number));
  try {
    await worker.run();
  } finally {
    await leave();
  }
}

/** Returns the options, whose durations are seconds in the argument. */
function inMilliseconds(options) {
  const durations = ['timeout', 'delay', 'maxDelay'];
  const read = (member, value) => (durations.includes(member) && typeof value === 'number' ? value * 1000 : value);
  return JSON.parse(JSON.stringify(options), read);
}

function leave() {
  leaving.abort();
  return client.close();
}

async function stay() {
  await sleep(LONG, undefined, { signal: leaving.signal }).catch(() => {});
}

async function watch() {
  try {
    for await (const event of await client.subscribe(subscribe)) {
      if (event.topic === 'snapshot') say('snapshot', event.snapshot.instance);
      else if (event.topic === 'lagged') say('lagged', event.dropped);
      else say('event', event.topic);
    }
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
  }
}

async function call() {
  for (const { timeout, ...request } of calls) {
    const [[word, value]] = Object.entries(request);
    const shown = word === 'waitFor' ? 'wait' : word;
    try {
      await CALLS[word](value, timeout);
    } catch (error) {
      if (leaving.signal.aborted) return;
      if (error instanceof RequestError) say('call', shown, 'refused', error.code, error.word);
      else console.error(`${shown}: ${error.message}`);
    }
  }
}

const limited = (seconds) => ({ timeout: seconds === undefined ? undefined : seconds * 1000 });

const CALLS = {
  status: async () => say('call', 'status', (await client.status()).lifecycle),
  activate: async () => say('call', 'activate', (await client.activate()).pass),
  async deactivate() {
    await client.deactivate();
    say('call', 'deactivate');
  },
  wait: async (what, timeout) => say('call', 'wait', (await client.wait(what, limited(timeout))).state),
  waitFor: async (initializer, timeout) => say('call', 'wait', (await client.wait({ initializer }, limited(timeout))).state),
  async hold(seconds) {
    await client.hold(async () => {
      say('call', 'hold', 'begun');
      await sleep(seconds * 1000, undefined, { signal: leaving.signal });
    });
    say('call', 'hold', 'ended');
  },
};

const work = initializers.length > 0 ? [serve()] : [call(), stay()];
if (subscribe !== undefined) work.push(watch());
process.once('SIGTERM', () => void leave()); // The worker ends when its runs have ended.
await Promise.all(work);
process.exit(); // A step may still continue.
