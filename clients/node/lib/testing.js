// Starts a supervisor for tests, and stops it.

import { AssertionError } from 'node:assert';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireList, requireOptions } from './checks.js';
import { Client } from './client.js';
import { DELAY, requireMilliseconds, shown } from './durations.js';

/** How long a shutdown may take before everything is killed, in milliseconds. */
const STOP = 60_000;
/** The variables that belong to a supervisor of the tests themselves. */
const INHERITED = /^(INITD|NOTIFY|LISTEN|WATCHDOG)_/;
const WHAT = 'cannot start a supervisor';

/**
 * Runs the supervisor until standard input ends, as it does when this process ends, however it ends. Then stops it, and removes its files.
 *
 * Only the supervisor and its app keep standard output open: if it ends before the environment of the app is complete, the start has failed.
 */
const GUARD = `
directory=$1
shift
"$@" </dev/null 2>"$directory/log" &
exec >/dev/null
cat
kill "$!"
wait "$!"
status=$?
rm -rf "$directory"
exit "$status"
`;

/** The app, which is started once everything is ready, writes its environment: it has the ports and the outputs. */
const APP = "env -0; printf '\\000'; exec sleep 1000000000";

export class StartFailed extends AssertionError {
  constructor(message) {
    super({ message });
    this.name = 'StartFailed';
  }
}

export class App {
  #running;

  constructor(running, environment) {
    this.#running = running;
    this.environment = environment;
    this.socket = environment.INITD_SOCKET;
    this.client = new Client(this.socket);
  }

  port(name) {
    return Number(this.#variable('port', name, variable('PORT', name)));
  }

  output(name) {
    return JSON.parse(this.#variable('output', name, `${variable('INPUT', name)}_JSON`));
  }

  async log(name) {
    const lines = await this.client.logs({ initializer: name, limit: 10_000 });
    return lines.map(({ line }) => `${line}\n`).join('');
  }

  async stop() {
    await this.client.close();
    await this.#running.stop();
  }

  #variable(noun, name, wanted) {
    if (wanted in this.environment) return this.environment[wanted];
    throw new Error(`the app has no ${noun} ${JSON.stringify(name)}: its environment has no ${wanted}`);
  }
}

if (Symbol.asyncDispose) App.prototype[Symbol.asyncDispose] = App.prototype.stop;

export async function supervisor(manifest, options) {
  const { timeout = 60_000, env, only = [], stateDirectory, programs } = requireOptions(options, ['timeout', 'env', 'only', 'stateDirectory', 'programs'], WHAT);
  requireMilliseconds(timeout, `${WHAT} with a timeout of`, DELAY);
  requireList(only, `${WHAT}: the names of only`);
  const inherited = Object.entries(process.env).filter(([name]) => !INHERITED.test(name));
  const environment = { ...Object.fromEntries(inherited), ...env };
  const [initd, initctl] = ['initd', 'initctl'].map((name) => program(name, programs, environment));
  const path = manifest instanceof URL ? fileURLToPath(manifest) : manifest;
  const directory = await mkdtemp(join(tmpdir(), 'initd-'));
  const state = stateDirectory ?? join(directory, 'state');
  const running = new Running({ initd, initctl, path, directory, state, only, environment });
  return new App(running, await running.untilReady(timeout));
}

/** A supervisor and its temporary directory, until `stop`. */
class Running {
  #about;
  #guard;
  #exited;

  constructor(about) {
    const { initd, path, directory, state, only, environment } = about;
    this.#about = { ...about, socket: join(directory, 'socket') };
    const words = [initd, '--config', path, '--socket', this.#about.socket, '--state-directory', state, ...only.flatMap((name) => ['--only', name])];
    this.#guard = spawn('/bin/sh', ['-c', GUARD, 'sh', directory, ...words, '--', '/bin/sh', '-c', APP], {
      env: environment,
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true, // Otherwise Ctrl-C would interrupt the supervisor, too.
    });
    this.#exited = once(this.#guard, 'exit');
  }

  /** Resolves with the environment of the app. Rejects with `StartFailed`. */
  async untilReady(timeout) {
    const { stdout } = this.#guard;
    let told = '';
    let timer;
    const outcome = await new Promise((settle) => {
      stdout.setEncoding('utf8');
      stdout.on('data', (part) => {
        told += part;
        if (told.endsWith('\0\0')) settle('ready');
      });
      stdout.on('end', () => settle('ended'));
      timer = setTimeout(() => settle('late'), timeout);
    });
    clearTimeout(timer);
    if (outcome === 'late') throw await this.#late(timeout);
    if (outcome === 'ended') throw await this.#ended();
    // A test that forgets to stop it ends anyway, and the guard stops the supervisor then.
    for (const part of [this.#guard, this.#guard.stdin, stdout]) part.unref();
    const entries = told.slice(0, -2).split('\0');
    return Object.fromEntries(entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]));
  }

  /** Stops the supervisor, and resolves with its exit status. Kills everything after a minute. */
  async stop() {
    const { path, directory } = this.#about;
    this.#guard.ref();
    this.#guard.stdin.destroy();
    const timer = setTimeout(() => {
      process.emitWarning(`the supervisor of ${path} hasn't stopped within ${shown(STOP)}, and was killed`);
      process.kill(-this.#guard.pid, 'SIGKILL');
    }, STOP);
    const [status] = await this.#exited;
    clearTimeout(timer);
    await rm(directory, { recursive: true, force: true }); // The guard has removed it, unless it was killed.
    return status;
  }

  /** Returns the error for an app that isn't ready in time, with what the supervisor says about it. */
  async #late(timeout) {
    const why = await this.#explained('--socket', this.#about.socket, '--connect-timeout', '10s');
    await this.stop();
    return new StartFailed(`${this.#about.path}: the app isn't ready after ${shown(timeout)}\n${why}`);
  }

  /** Returns the error for a supervisor that has ended, with what it has recorded, or its log if it hasn't started anything. */
  async #ended() {
    const { path, directory, state } = this.#about;
    const why = await this.#explained('--state-directory', state);
    const log = await readFile(join(directory, 'log'), 'utf8');
    const status = await this.stop();
    return new StartFailed(status === 1 ? `${path}: the start has failed\n${why}` : `${path}: initd has ended with status ${status}\n${log}`);
  }

  /** Resolves with the tree of `initctl why`, and with the output of what has failed, unless all of it is in the tree. */
  async #explained(...source) {
    const why = await this.#said('why', ...source);
    const failed = why === '' ? '' : await this.#said('logs', '--failed', ...source);
    const known = new Set(why.split('\n').map((line) => line.trim()));
    return failed.split('\n').every((line) => known.has(line)) ? why : `${why}The last lines of what failed:\n${failed}`;
  }

  #said(...words) {
    const { initctl, environment } = this.#about;
    return new Promise((settle) => {
      execFile(initctl, words, { env: environment, maxBuffer: Infinity }, (_, out) => settle(out));
    });
  }
}

/** Returns the variable in which a program gets a port (kind PORT) or an output (kind INPUT). */
function variable(kind, name) {
  return `INITD_${kind}_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}

/** Returns the path of `initd` or `initctl`. Throws `StartFailed`. */
function program(name, directory, { PATH = '/usr/bin:/bin' }) {
  const found = (directory === undefined ? PATH.split(delimiter) : [directory]).map((place) => resolve(place, name)).find(canBeRun);
  if (found !== undefined) return found;
  throw new StartFailed(`cannot find ${name} in ${directory ?? 'PATH'}: install it as INSTALL.md of AppInitializers says, or pass programs: DIRECTORY`);
}

function canBeRun(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
