// The declarations and the code name the same things.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from './support/test.js';
import * as library from '../lib/index.js';
import * as testing from '../lib/testing.js';

const read = (name) => readFile(new URL(`../types/${name}.d.ts`, import.meta.url), 'utf8');
const declared = async (name, pattern) => [...(await read(name)).matchAll(pattern)].map(([, found]) => found);

test('every value is declared, and every declared class exists', async () => {
  const names = [];
  for (const file of ['client', 'errors', 'path', 'worker']) names.push(...(await declared(file, /^export (?:class|function) (\w+)/gm)));
  assert.deepEqual(names.sort(), Object.keys(library).sort());
});

test('the declarations of the fixture for tests name the same things', async () => {
  assert.deepEqual((await declared('testing', /^export (?:class|function) (\w+)/gm)).sort(), Object.keys(testing).sort());
  const text = await read('testing');
  const options = [...text.slice(text.indexOf('interface SupervisorOptions')).split('\n}\n')[0].matchAll(/^ {2}(\w+)\?:/gm)].map(([, option]) => option);
  await assert.rejects(testing.supervisor('ci.yaml', { unknown: 1 }), { message: `cannot start a supervisor: unknown option "unknown"; the options are ${options.join(', ')}` });
  const body = text.slice(text.indexOf('class App')).split('\n}\n')[0];
  const own = Object.getOwnPropertyNames(testing.App.prototype).filter((name) => name !== 'constructor');
  assert.deepEqual([...body.matchAll(/^ {2}([a-z]\w*)\(/gm)].map(([, member]) => member), own);
  const app = new testing.App({}, { INITD_SOCKET: '/tmp/initd.sock' });
  assert.deepEqual([...body.matchAll(/^ {2}readonly (\w+):/gm)].map(([, member]) => member).sort(), Object.keys(app).sort());
});

test('the options are declared', async () => {
  const optionsOf = (text, name) => [...text.slice(text.indexOf(`export interface ${name} `)).split('\n}\n')[0].matchAll(/^ {2}(\w+)\?:/gm)].map(([, option]) => option);
  const accepted = (refused) => {
    try {
      refused();
    } catch ({ message }) {
      return message.split('the options are ')[1].split(', ').sort();
    }
    return assert.fail('an unknown option is accepted');
  };
  const shared = optionsOf(await read('options'), 'Options');
  const text = await read('worker');
  assert.deepEqual(shared.sort(), accepted(() => new library.Client({ unknown: 1 })));
  assert.deepEqual([...shared, ...optionsOf(text, 'WorkerOptions')].sort(), accepted(() => new library.Worker({ unknown: 1 })));
  assert.deepEqual(optionsOf(text, 'RetryPolicy').sort(), accepted(() => new library.Worker().initializer('a', { retry: { unknown: 1 } }, () => {})));
  assert.deepEqual(optionsOf(text, 'InitializerOptions').sort(), accepted(() => new library.Worker().initializer('a', { unknown: 1 }, () => {})));
});

test('every public method is declared, and every declared one exists', async () => {
  for (const [file, name] of [['client', 'Client'], ['worker', 'Worker']]) {
    const text = await read(file);
    const body = text.slice(text.indexOf(`export class ${name} `)).split('\n}\n')[0];
    const declarations = [...body.matchAll(/^ {2}(?:readonly )?([a-z]\w*)[(:<]/gm)].map(([, member]) => member);
    const inherited = new Set(['constructor', 'on', 'once', 'off']);
    const members = Object.getOwnPropertyNames(library[name].prototype);
    const own = (list) => [...new Set(list.filter((member) => !inherited.has(member)))].sort();
    assert.deepEqual(own(declarations), own(members), name);
  }
});
