// The steps of a run.

import { setImmediate, setTimeout } from 'node:timers/promises';

/** Performs the steps in order; after a cancel, no further step begins. */
export async function perform(run, steps, say) {
  say('run', run.initializer, run.number, run.attempt);
  run.signal.addEventListener('abort', () => say('cancel', run.initializer, run.number, run.signal.reason.reason));
  let ignored = 0;
  for (const step of steps) {
    run.signal.throwIfAborted();
    await take(run, step, ignored > 0 ? delayed(run.signal, ignored) : run.signal);
    ignored = step.ignoreCancelFor ?? 0;
  }
}

async function take(run, step, signal) {
  if (step.progress !== undefined) run.progress(step.progress, step.message);
  else if (step.message !== undefined) run.progress(step.message);
  if (step.extend !== undefined) run.extend(step.extend * 1000);
  if (step.sleep !== undefined) await setTimeout(step.sleep * 1000, undefined, { signal });
  if (step.block !== undefined) await block(step.block);
  if ('output' in step) run.output(step.output);
  if (step.echoInputs) run.output(run.inputs);
  if (step.echoFence) run.output({ fence: run.fence ?? null });
  if (step.fail !== undefined) throw new Error(step.fail);
}

async function block(seconds) {
  for (const end = performance.now() + seconds * 1000; performance.now() < end; );
  // A cancel that came in the meantime is read: before the second turn ends, the loop has polled its sockets once in full.
  await setImmediate();
  await setImmediate();
}

/** Returns a signal that is aborted this many seconds after `signal`. */
function delayed(signal, seconds) {
  const controller = new AbortController();
  signal.addEventListener('abort', () => void setTimeout(seconds * 1000, undefined, { ref: false }).then(() => controller.abort()));
  return controller.signal;
}
