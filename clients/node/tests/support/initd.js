// A real supervisor, if $INITD is the path of the program.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export const skip = process.env.INITD ? false : 'INITD is not set';

/** Creates a directory with initd and initctl in `directory`, and returns its path. initctl is $INITCTL, or beside $INITD. */
export async function programs(directory) {
  const { INITD, INITCTL = join(dirname(INITD), 'initctl') } = process.env;
  const bin = join(directory, 'bin');
  await mkdir(bin);
  await symlink(resolve(INITD), join(bin, 'initd'));
  await symlink(resolve(INITCTL), join(bin, 'initctl'));
  return bin;
}

/** Creates a directory for a socket, and returns its path. `start(...arguments)` starts initd there. */
export async function place(t) {
  const directory = await mkdtemp(join(tmpdir(), 'initd-'));
  const path = join(directory, 'initd.sock');
  const running = [];
  t.after(async () => {
    for (const supervisor of running) await end(supervisor, 'SIGKILL');
    await rm(directory, { recursive: true });
  });
  return {
    directory,
    path,
    async start({ manifest, args = [] } = {}) {
      const config = join(directory, 'init.yaml');
      if (manifest !== undefined) await writeFile(config, manifest);
      const words = ['--socket', path, ...(manifest === undefined ? [] : ['--config', config]), ...args];
      const supervisor = spawn(process.env.INITD, words, { stdio: 'ignore' });
      running.push(supervisor);
      return supervisor;
    },
  };
}

/** Ends a process with a signal. */
export async function end(child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

/** Starts a program of Node. `line()` resolves with its next line of output. */
export function program(file, args, env) {
  const child = spawn(process.execPath, [file, ...args], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.setEncoding('utf8');
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
    child.emit('text');
  });
  child.saw = async (line) => {
    while (!text.split('\n').includes(line)) await once(child, 'text', { signal: AbortSignal.timeout(5000) });
  };
  return child;
}
