// With a real supervisor.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from './support/test.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Inactive, InvalidManifest, NameConflict, NotRunning, TimedOut, UnknownInitializer, UnreadableManifest, Worker } from '../lib/index.js';
import { end, place, program, skip } from './support/initd.js';

const SUBJECT = fileURLToPath(new URL('../conformance/subject.js', import.meta.url));
const TELL_WHEN_LISTENING = encodeURIComponent("process.on('newListener', (name) => name === 'SIGTERM' && setImmediate(() => console.log('listens to SIGTERM')))");

async function serving(t, declare, settings) {
  const where = await place(t);
  const supervisor = await where.start(settings);
  const client = new Client({ path: where.path });
  const worker = new Worker({ path: where.path, name: 'shelf' });
  declare(worker);
  const registered = once(worker, 'registered');
  const ended = worker.run({ signals: false });
  t.after(() => Promise.all([worker.stop(), client.close()]));
  await registered;
  return { ...where, supervisor, client, worker, ended };
}

test('initializers run in order, and hand over their outputs', { skip }, async (t) => {
  const seen = [];
  const { client } = await serving(t, (worker) => {
    worker.initializer('favorites', { priority: 'appActive', dependencies: ['catalogue'] }, (run) => void seen.push(run.inputs));
    worker.initializer('catalogue', async (run) => {
      run.progress(0.5, 'half');
      await sleep(1);
      run.output({ port: 8080, title: '漢字 🙂' });
    });
  });
  const { pass } = await client.activate();
  assert.equal((await client.wait({ pass }, { timeout: 5000 })).state, 'complete');
  assert.deepEqual(seen, [{ catalogue: { port: 8080, title: '漢字 🙂' } }]);
  const { workers, initializers } = await client.status();
  assert.deepEqual(workers.map(({ client: name }) => name), ['shelf']);
  assert.deepEqual(initializers.find(({ name }) => name === 'catalogue').progress, { fraction: 0.5, message: 'half' });
});

test('an output that the supervisor refuses fails with the limit that it has', { skip }, async (t) => {
  const { client } = await serving(t, (worker) => worker.initializer('big', (run) => run.output('x'.repeat(100_000))), { args: ['--limit', 'outputBytes=70000'] });
  await client.launch();
  const { state, error } = await client.wait({ initializer: 'big' }, { timeout: 5000 });
  assert.equal(state, 'failed');
  assert.match(error.cause.message, /more than 70000 bytes/);
});

test('a failure has its message', { skip }, async (t) => {
  const { client } = await serving(t, (worker) => {
    worker.initializer('bad', { retry: { attempts: 2, delay: 10 } }, () => {
      throw new Error('HTTP 503');
    });
  });
  const failed = await client.wait('launch', { timeout: 5000 });
  assert.deepEqual(failed.error.cause, { kind: 'error', message: 'HTTP 503' });
});

test('a hold activates, and its release cancels what runs', { skip }, async (t) => {
  let begin;
  const begun = new Promise((resolve) => {
    begin = resolve;
  });
  const reasons = [];
  const { client } = await serving(t, (worker) => {
    worker.initializer('slow', { priority: 'appActive' }, async ({ signal }) => {
      begin();
      await sleep(60_000, undefined, { signal }).catch(() => reasons.push(signal.reason.reason));
    });
  });
  const pass = await client.hold(async (hold) => {
    await begun;
    assert.equal((await client.status()).holds, 1);
    return hold.pass;
  });
  assert.equal((await client.wait({ pass }, { timeout: 5000 })).state, 'cancelled');
  assert.deepEqual(reasons, ['deactivated']);
});

test('a run is cancelled by its user, and is not retried', { skip }, async (t) => {
  let begin;
  const begun = new Promise((resolve) => {
    begin = resolve;
  });
  const reasons = [];
  const { client } = await serving(t, (worker) => {
    worker.initializer('slow', { retry: { attempts: 3 } }, async ({ signal }) => {
      begin();
      await sleep(60_000, undefined, { signal }).catch(() => reasons.push(signal.reason.reason));
    });
  });
  await begun;
  assert.deepEqual(await client.cancel(['slow']), ['slow']);
  assert.deepEqual(reasons, ['operator']);
  const { error } = await client.wait('launch', { timeout: 5000 });
  assert.deepEqual(error.cause, { kind: 'operator', user: userInfo().username });
  const initializers = [{ name: 'slow', status: 'failed' }];
  await assert.rejects(client.cancel(['slow']), (error) => error instanceof NotRunning && assert.deepEqual(error.initializers, initializers) === undefined);
});

test('initializers run again, with what depends on them or without', { skip }, async (t) => {
  const ran = [];
  const { client } = await serving(t, (worker) => {
    worker.initializer('a', () => void ran.push('a'));
    worker.initializer('b', { dependencies: ['a'] }, () => void ran.push('b'));
    worker.initializer('c', { priority: 'appActive' }, () => {});
  });
  await client.wait('launch', { timeout: 5000 });
  for (const withDependents of [false, true]) {
    ran.length = 0;
    const [pass] = await client.rerun(['a'], { withDependents });
    assert.equal((await client.wait({ pass }, { timeout: 5000 })).state, 'complete');
    assert.deepEqual(ran, withDependents ? ['a', 'b'] : ['a']);
    const { initializers } = await client.status();
    assert.equal(initializers.find(({ name }) => name === 'b').stale ?? false, !withDependents);
  }
  await assert.rejects(client.rerun(['c']), Inactive);
});

test('a reload says what differs, and what is wrong', { skip }, async (t) => {
  const { path, start } = await place(t);
  const manifest = join(dirname(path), 'init.yaml');
  const write = (text) => writeFile(manifest, `version: 1\ninitializers:\n${text}`);
  await write('  a: { worker: true, timeout: 5s }\n');
  await start({ args: ['--config', manifest] });
  const client = new Client({ path });
  t.after(() => client.close());
  const names = async () => (await client.status()).initializers.map(({ name }) => name);
  assert.deepEqual(await names(), ['a']);
  await write('  a: { worker: true, timeout: 6s }\n  b: { worker: true }\n');
  const expected = { added: ['b'], changed: [], removed: [], unchanged: 1, fromNextRun: [{ name: 'a', keys: ['timeout'] }] };
  assert.deepEqual(await client.reload({ dryRun: true }), expected);
  assert.deepEqual(await names(), ['a']);
  assert.deepEqual(await client.reload(), expected);
  assert.deepEqual(await names(), ['a', 'b']);
  await write('  c: {}\n');
  await assert.rejects(client.reload(), (error) => error instanceof InvalidManifest && error.findings.length === 1 && error.findings[0].line === 3);
  await rm(manifest);
  await assert.rejects(client.reload(), UnreadableManifest);
});

test('refusals have their classes', { skip }, async (t) => {
  const { client, path } = await serving(t, (worker) => worker.initializer('a', () => {}));
  await assert.rejects(client.wait('active', { timeout: 0 }), (error) => error instanceof TimedOut && error.status.lifecycle === 'inactive');
  await assert.rejects(client.wait({ initializer: 'x' }), UnknownInitializer);
  await assert.rejects(client.request('reboot'), { code: -32601, word: 'methodNotFound' });
  const second = new Worker({ path }).initializer('a', () => {});
  await assert.rejects(second.run({ signals: false }), NameConflict);
});

test('a subscription sees what happens, in order', { skip }, async (t) => {
  const { client } = await serving(t, (worker) => worker.initializer('a', { priority: 'appActive' }, () => {}));
  const seen = [];
  const events = await client.subscribe(['pass']);
  const { pass } = await client.activate();
  for await (const event of events) {
    if (event.topic === 'snapshot') seen.push(event.snapshot.lifecycle);
    else if (event.pass === pass) seen.push(event.status);
    if (seen.at(-1) === 'complete') break;
  }
  assert.deepEqual(seen, ['inactive', 'started', 'complete']);
});

test('a worker registers again when its supervisor was killed and started again', { skip }, async (t) => {
  const { client, worker, supervisor, start } = await serving(t, (worker) => worker.initializer('a', { priority: 'appActive' }, () => {}));
  const lost = once(worker, 'lost');
  await end(supervisor, 'SIGKILL');
  await lost;
  const again = once(worker, 'registered');
  const begun = performance.now();
  await start();
  await again;
  assert.ok(performance.now() - begun < 2000);
  const { pass } = await client.activate();
  assert.equal((await client.wait({ pass }, { timeout: 5000 })).state, 'complete');
});

test('SIGTERM ends a program: it unregisters, answers, and exits with 0', { skip }, async (t) => {
  const { path, start } = await place(t);
  await start();
  const plan = { client: 'subject', initializers: [{ name: 'a', steps: [{ sleep: 60 }] }] };
  const subject = program(SUBJECT, [JSON.stringify(plan)], { INITD_SOCKET: path });
  await subject.saw('run a 1 1');
  await end(subject);
  assert.deepEqual([subject.exitCode, subject.signalCode], [0, null]);
  await subject.saw('cancel a 1 unregistered');
  await subject.saw('done a 1');
  const client = new Client({ path });
  assert.deepEqual((await client.status()).initializers, []);
  await client.close();
});

test('SIGTERM ends a program that has no supervisor', async (t) => {
  const { path } = await place(t);
  const plan = { client: 'subject', initializers: [{ name: 'a' }] };
  const subject = program(SUBJECT, [JSON.stringify(plan)], { INITD_SOCKET: path, NODE_OPTIONS: `--import=data:text/javascript,${TELL_WHEN_LISTENING}` });
  await subject.saw('listens to SIGTERM');
  await end(subject);
  assert.deepEqual([subject.exitCode, subject.signalCode], [0, null]);
});
