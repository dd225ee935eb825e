// Whatever ends a test, the supervisor of its fixture ends, too. With a real supervisor, if $INITD is the path of one.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { limits, place, until } from './support/fixture.js';
import { test } from './support/test.js';

const LIBRARY = new URL('../lib/testing.js', import.meta.url);

for (const [when, command] of [['during the start', 'exec sleep 1000'], ['once ready', 'true']]) {
  test(`an interrupted, killed or forgetful test leaves nothing behind ${when}`, limits, async (t) => {
    const there = await place(t);
    const started = join(there.directory, 'started');
    await there.write(`version: 1\ninitializers: { a: { command: 'touch ${started}; ${command}' } }\nprocesses: { web: { command: [sleep, 1000] } }\n`);
    const program = `
      const { supervisor } = await import(${JSON.stringify(LIBRARY)});
      await supervisor(${JSON.stringify(there.manifest)}, { programs: ${JSON.stringify(there.bin)} });
      console.log('ready');
      if (process.argv[1] !== 'forgets') setInterval(() => {}, 1000);`;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL', ...(command === 'true' ? [null] : [])]) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', program, signal ?? 'forgets'], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
      const exited = once(child, 'exit');
      if (command === 'true') await once(child.stdout, 'data');
      await until(() => existsSync(started));
      // A terminal sends SIGINT to the whole process group.
      if (signal) process.kill(signal === 'SIGINT' ? -child.pid : child.pid, signal);
      assert.deepEqual(await exited, [signal ? null : 0, signal]);
      await until(() => there.processes().length === 0);
      there.nothingIsLeft();
      await rm(started);
    }
  });
}

test('the commands in the README of Examples/tests work', limits, async (t) => {
  const there = await place(t);
  const root = new URL('../../../', import.meta.url);
  const folder = join(there.directory, 'Examples/tests');
  await cp(fileURLToPath(new URL('Examples/tests', root)), folder, { recursive: true });
  await symlink(fileURLToPath(new URL('clients', root)), join(there.directory, 'clients'));
  const [, commands] = /<!-- node -->\n```sh\n(.*?)```/s.exec(await readFile(join(folder, 'README.md'), 'utf8'));
  const env = { ...process.env, PATH: `${there.bin}:${process.env.PATH}`, NODE_OPTIONS: '--test-reporter=tap' };
  delete env.NODE_TEST_CONTEXT; // Otherwise it would report to the runner of this test.
  const shell = spawn('bash', ['-e', '-c', commands], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  shell.stdout.on('data', (part) => (out += part));
  assert.deepEqual(await once(shell, 'close'), [0, null], out);
  assert.match(out, /^# pass 3$/m);
  there.nothingIsLeft();
});
