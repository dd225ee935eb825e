// The examples of the README, as a newcomer runs them.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { end, place, program, skip } from './support/initd.js';
import { test } from './support/test.js';

const ROOT = new URL('../', import.meta.url);

test('every example runs, and the first one prints what the README says', { skip }, async (t) => {
  const { directory, path, start } = await place(t);
  const text = await readFile(new URL('README.md', ROOT), 'utf8');
  const examples = [...text.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code.replaceAll('/tmp/shop.sock', path));
  assert.equal(examples.length, 5);
  await mkdir(join(directory, 'node_modules'));
  await symlink(fileURLToPath(ROOT), join(directory, 'node_modules', 'appinitializers'));
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
