// The fixture for tests of applications, with a real supervisor, if $INITD is the path of one.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { supervisor } from '../lib/testing.js';
import { limits, place } from './support/fixture.js';
import { test } from './support/test.js';

test('a ready app has its ports, outputs, logs and client', limits, async (t) => {
  const there = await place(t);
  const app = await there.start(
    `
version: 1
ports: { web: auto, admin-page: auto }
initializers:
  token: { command: 'echo "{\\"id\\": 7}" > "$INITD_OUTPUT"' }
  pass.word: { command: 'printf s3cret > "$INITD_OUTPUT"', secret: true, phase: active }
  greet: { command: 'echo "$GREETING"; echo "$0"', after: [token] }
`,
    { env: { GREETING: 'good morning' } },
  );
  const { composite, ports } = await app.client.status();
  assert.deepEqual(composite, { state: 'complete' });
  assert.deepEqual(ports, { web: app.port('web'), 'admin-page': app.port('admin-page') });
  assert.deepEqual([app.output('token'), app.output('pass.word')], [{ id: 7 }, 's3cret']);
  assert.equal(await app.log('greet'), 'good morning\n/bin/sh\n');
  assert.throws(() => app.port('db'), /no port "db": .* INITD_PORT_DB/);
  assert.throws(() => app.output('greet'), /no output "greet": .* INITD_INPUT_GREET_JSON/);
  const port = await new Promise((settle) => execFile(join(there.bin, 'initctl'), ['port', 'web'], { env: app.environment }, (_, out) => settle(out)));
  assert.equal(port, `${app.port('web')}\n`);
  await Promise.all([app.stop(), app.stop()]);
  await assert.rejects(app.client.status(), { name: 'ConnectionClosed' });
  there.nothingIsLeft();
});

test('the options select what runs, the state and the variables', limits, async (t) => {
  const there = await place(t);
  const text = `
version: 1
initializers:
  a: { command: 'echo a >> ${there.directory}/ran; echo 1 > $INITD_OUTPUT' }
  b: { command: "false" }
`;
  process.env.INITD_PORT_OUTER = '1';
  t.after(() => delete process.env.INITD_PORT_OUTER);
  const kept = { only: ['a'], stateDirectory: join(there.directory, 'state') };
  for (const options of [kept, kept, { only: ['a'] }]) {
    const app = await there.start(text, options);
    assert.equal(app.output('a'), 1);
    assert.equal(app.environment.INITD_PORT_OUTER, undefined);
    await app.stop();
  }
  assert.equal(await readFile(join(there.directory, 'ran'), 'utf8'), 'a\na\n');
  there.nothingIsLeft();
});

test('an option that does not exist, or has a wrong value, is refused', async () => {
  await assert.rejects(supervisor('ci.yaml', { time: 1 }), /cannot start a supervisor: unknown option "time"; the options are timeout, env, only/);
  await assert.rejects(supervisor('ci.yaml', { timeout: '1' }), /cannot start a supervisor with a timeout of "1": it must be a number/);
  await assert.rejects(supervisor('ci.yaml', { only: 'a' }), /cannot start a supervisor: the names of only are a value of type string, not an array/);
});

test('the message of a failed start names the initializer and has its output', limits, async (t) => {
  const there = await place(t);
  const message = await there.refused(`
version: 1
initializers:
  tables: { command: "true" }
  seed: { command: "seq -f 'row %.0f' 40; echo no space >&2; exit 3", dependencies: [tables] }
`);
  assert.match(message, /^.*\/ci\.yaml: the start has failed\n/);
  assert.match(message, /^ready failed\n└─ launch failed\n {3}└─ seed failed .* ago: exit status 3; /m);
  // The tree has the last lines, and what follows it has all of them.
  assert.match(message, /^ +seed \| no space$/m);
  assert.match(message, /^seed \| row 1$/m);
  const short = await there.refused("version: 1\ninitializers: { seed: { command: 'echo no space; exit 3', phase: active } }\n");
  assert.equal(short.split('seed | no space').length, 2, short);
});

test('a start that takes too long says what still runs', limits, async (t) => {
  const there = await place(t);
  const message = await there.refused("version: 1\ninitializers: { slow: { command: 'exec sleep 1000' } }\n", { timeout: 200 });
  assert.match(message, /ci\.yaml: the app isn't ready after 0\.2 s\nready has been pending/);
  assert.match(message, /└─ slow /);
});

test('the message of a manifest that can not be used has its mistakes', limits, async (t) => {
  const there = await place(t);
  const message = await there.refused('version: 1\ninitializers:\n  a: { comand: x }\n  b: { command: ["true"], dependencies: [c] }\n');
  assert.match(message, /^.*\/ci\.yaml: initd has ended with status 65\n/);
  assert.match(message, /^.*\/ci\.yaml:3:8: .*comand/m);
  assert.match(message, /^.*\/ci\.yaml:4:\d+: .*\bc\b/m);
  await assert.rejects(supervisor(new URL('nothing.yaml', import.meta.url), { programs: there.bin }), /nothing\.yaml: initd has ended with status 66\n.*No such file/);
});

test('a missing program is an error that says what to do', limits, async (t) => {
  const there = await place(t);
  const missing = (name, where) => ({ name: 'StartFailed', message: `cannot find ${name} in ${where}: install it as INSTALL.md of AppInitializers says, or pass programs: DIRECTORY` });
  await assert.rejects(supervisor(there.manifest, { programs: there.directory }), missing('initd', there.directory));
  const { PATH } = process.env;
  t.after(() => (process.env.PATH = PATH));
  process.env.PATH = there.directory;
  await assert.rejects(supervisor(there.manifest), missing('initd', 'PATH'));
  process.env.PATH = `${there.directory}:${there.bin}:${PATH}`;
  await (await there.start('version: 1\n', { programs: undefined })).stop();
  await rm(join(there.bin, 'initctl'));
  await assert.rejects(supervisor(there.manifest, { programs: there.bin }), missing('initctl', there.bin));
});
