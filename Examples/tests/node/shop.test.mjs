import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { supervisor } from 'appinitializers/testing';

const app = await supervisor(new URL('../ci.yaml', import.meta.url));
after(() => app.stop());

const get = (path) => fetch(`http://127.0.0.1:${app.port('web')}${path}`);

test('each book has its price', async () => {
  for (const [title, price] of Object.entries(app.output('prices'))) {
    assert.equal(await (await get(`/${title}`)).text(), String(price));
  }
});

test('an unknown book is not found', async () => {
  assert.equal((await get('/persuasion')).status, 404);
});

test('the shop can be restarted', async () => {
  await app.client.request('restart', { names: ['web'] });
  assert.deepEqual(await app.client.wait('ready', { timeout: 30_000 }), { state: 'complete' });
  assert.equal(await (await get('/')).text(), '2');
  assert.match(await app.log('web'), /^open with 2 books\n[^]*^open with 2 books\n/m);
});
