/**
 * Client and worker for the initialization supervisor `initd`.
 *
 * {@link Client} controls and observes; {@link Worker} provides initializers. Both implement protocol version 1. All durations are in
 * seconds, and all times are seconds since the Unix epoch, as in the protocol.
 *
 * @packageDocumentation
 */

export { Client, type Hold, type Subscription } from './client.js';
export * from './errors.js';
export { type Options } from './options.js';
export { socketPath } from './path.js';
export * from './shapes.js';
export { Worker, type InitializerFunction, type InitializerOptions, type RetryPolicy, type Run, type WorkerOptions } from './worker.js';
