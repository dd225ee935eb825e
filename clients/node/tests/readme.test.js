// The examples of the README, as a newcomer runs them.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { end, place, program, programs, skip } from './support/initd.js';
import { test } from './support/test.js';

const ROOT = new URL('../', import.meta.url);
const TEXT = await readFile(new URL('README.md', ROOT), 'utf8');

/** Returns the blocks of the README in a language. */
const blocks = (language) => [...TEXT.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, code]) => code);

/** Installs the library into a project. */
async function install(directory) {
  await mkdir(join(directory, 'node_modules'));
  await symlink(fileURLToPath(ROOT), join(directory, 'node_modules', 'appinitializers'));
}

test('every example runs, and the first one prints what the README says', { skip }, async (t) => {
  const { directory, path, start } = await place(t);
  const examples = blocks('js').map((code) => code.replaceAll('/tmp/shop.sock', path));
  assert.equal(examples.length, 6); // The last one is the test of an application.
  await install(directory);
  const run = async (number) => {
    const file = join(directory, `example-${number}.mjs`);
    await writeFile(file, examples[number]);
    return program(file, []);
  };

  await start({ args: ['--activate'] });
  const shelf = await run(0);
  const ready = await run(1);
  await ready.saw("{ state: 'complete' }");
  await shelf.saw('favorites of 100 titles');
  for (const [number, line] of [[2, 'complete'], [3, '1 hold'], [4, 'favorites complete']]) {
    const example = await run(number);
    const exited = once(example, 'exit');
    await example.saw(line);
    assert.deepEqual(await exited, [0, null], `example ${number}`);
  }
  await end(shelf);
  assert.equal(shelf.exitCode, 0);
});

test('the test of an application passes', { skip, timeout: 50_000 }, async (t) => {
  const { directory } = await place(t);
  const bin = await programs(directory);
  await install(directory);
  await writeFile(join(directory, 'ci.yaml'), blocks('yaml')[0]);
  await writeFile(join(directory, 'page.test.mjs'), blocks('js').at(-1));
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  delete env.NODE_TEST_CONTEXT; // Otherwise it would report to the runner of this test.
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap'], { cwd: directory, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (part) => (out += part));
  assert.deepEqual(await once(child, 'close'), [0, null], out);
  assert.match(out, /^# pass 1$/m);
});
