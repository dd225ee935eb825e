// Tests the promises of package.json.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from './support/test.js';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

test('an import has no side effects: no listener, no global, no output', async () => {
  const script = `
    const seen = () => JSON.stringify([process.eventNames(), Reflect.ownKeys(globalThis).length]);
    const before = seen();
    await import(${JSON.stringify(join(ROOT, 'lib/index.js'))});
    if (seen() !== before) console.log(before, seen());`;
  assert.equal(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }), '');
  assert.equal(JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')).sideEffects, false);
});
