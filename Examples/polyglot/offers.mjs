// Each activation, in JavaScript: makes the offers from the stock.
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from '../../clients/node/lib/index.js';

const worker = new Worker({ name: 'offers-in-node' });

worker.initializer('offers', { priority: 'appActive', dependencies: ['prices', 'stock'] }, async (run) => {
  const { prices, stock } = run.inputs;
  await sleep(100, undefined, { signal: run.signal }); // throws when the run is cancelled
  const titles = Object.keys(prices).filter((title) => stock[title] > 0);
  run.output(titles.sort().map((title) => ({ title, price: prices[title] })));
});

await worker.run();
