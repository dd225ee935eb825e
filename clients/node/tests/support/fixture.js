// A place for tests of the fixture lib/testing.js, which notices what they leave behind.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartFailed, supervisor } from '../../lib/testing.js';
import { programs, skip } from './initd.js';

/** Options of a test with a real supervisor. */
export const limits = { skip, timeout: 50_000 };

/** Creates a directory that everything of a test has in its path: its manifest, its sockets, and the environment of its processes. */
export async function place(t) {
  const directory = await mkdtemp('/tmp/fixture-');
  const temporary = join(directory, 'tmp');
  await mkdir(temporary);
  const bin = await programs(directory);
  const before = { TMPDIR: process.env.TMPDIR, XDG_RUNTIME_DIR: process.env.XDG_RUNTIME_DIR };
  Object.assign(process.env, { TMPDIR: temporary, XDG_RUNTIME_DIR: temporary });
  t.after(async () => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    for (const { pid } of processes()) process.kill(pid, 'SIGKILL');
    await rm(directory, { recursive: true, force: true });
  });

  /** Returns the processes of this test other than this one: its directory is in their words or their environment. */
  const processes = () =>
    readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
      .map((pid) => ({ pid: Number(pid), words: read(`/proc/${pid}/cmdline`), environment: read(`/proc/${pid}/environ`) }))
      .filter(({ words, environment }) => words.includes(directory) || environment.includes(directory))
      .map(({ pid, words }) => ({ pid, words: words.replaceAll('\0', ' ') }));

  const manifest = join(directory, 'ci.yaml');
  return {
    directory,
    bin,
    manifest,
    processes,
    write: (text) => writeFile(manifest, text),
    /** Starts a supervisor of a manifest. */
    async start(text, options) {
      await writeFile(manifest, text);
      return supervisor(manifest, { programs: bin, ...options });
    },
    /** Returns the message of a start that fails, and leaves nothing behind. */
    async refused(text, options) {
      const failed = await this.start(text, options).then((app) => app.stop(), (error) => error);
      assert.ok(failed instanceof StartFailed && failed instanceof assert.AssertionError, String(failed));
      this.nothingIsLeft();
      return failed.message;
    },
    nothingIsLeft() {
      assert.deepEqual(processes(), []);
      assert.deepEqual(readdirSync(temporary).filter((name) => name.startsWith('initd-')), []);
    },
  };
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // It has ended.
  }
}

/** Polls until a condition holds; the time limit of the test ends it. */
export async function until(condition) {
  while (!condition()) await sleep(10);
}
