// A worker whose function never ends, in a program that catches a signal: stubborn.js PATH GRACE.

import { Worker } from '../../lib/index.js';

const [path, grace] = process.argv.slice(2);
process.on('SIGTERM', () => {});
const worker = new Worker({ path, cancelGrace: Number(grace), log: console.log });
worker.initializer('a', () => {
  console.log('begun');
  return new Promise(() => {});
});
await worker.run();
