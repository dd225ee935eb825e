#!/usr/bin/env node
// The program that the conformance scenarios drive: it performs the steps that its argument describes.

import { setImmediate, setTimeout } from 'node:timers/promises';
import { Worker } from '../lib/index.js';

const say = (...words) => process.stdout.write(`${words.join(' ')}\n`);

const plan = JSON.parse(process.argv[2]);
const worker = new Worker({ name: plan.client });
for (const { name, steps = [], ...options } of plan.initializers) {
  worker.initializer(name, options, (run) => perform(run, steps));
}
worker.on('registered', () => say('connected'));
worker.on('lost', () => say('lost'));
worker.on('answered', (run) => say('done', run.initializer, run.number));
await worker.run();

async function perform(run, steps) {
  say('run', run.initializer, run.number, run.attempt);
  run.signal.addEventListener('abort', () => say('cancel', run.initializer, run.number, run.signal.reason.reason));
  let ignored = 0;
  for (const step of steps) {
    run.signal.throwIfAborted();
    await once(run, step, ignored > 0 ? delayed(run.signal, ignored) : run.signal);
    ignored = step.ignoreCancelFor ?? 0;
  }
}

async function once(run, step, signal) {
  if (step.progress !== undefined) run.progress(step.progress, step.message);
  else if (step.message !== undefined) run.progress(step.message);
  if (step.extend !== undefined) run.extend(step.extend);
  if (step.sleep !== undefined) await setTimeout(step.sleep * 1000, undefined, { signal });
  if (step.block !== undefined) await block(step.block);
  if ('output' in step) run.output(step.output);
  if (step.echoInputs) run.output(run.inputs);
  if (step.fail !== undefined) throw new Error(step.fail);
}

async function block(seconds) {
  for (const end = performance.now() + seconds * 1000; performance.now() < end; );
  // Messages that came meanwhile are read: the second turn of the loop has polled once in full.
  await setImmediate();
  await setImmediate();
}

/** A signal that is aborted this many seconds after `signal`. */
function delayed(signal, seconds) {
  const controller = new AbortController();
  signal.addEventListener('abort', () => void setTimeout(seconds * 1000, undefined, { ref: false }).then(() => controller.abort()));
  return controller.signal;
}
