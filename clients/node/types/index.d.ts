/**
 * Client and worker for the initialization supervisor `initd`.
 *
 * {@link Client} controls and observes; {@link Worker} provides initializers. Both implement protocol version 1. Durations that
 * you give, and {@link Run.timeout}, are in milliseconds. The supervisor's own objects ({@link Status}, {@link Event}, {@link History},
 * {@link LogLine}, and the `data` of errors) are as in the protocol: their durations are in seconds, and their times are seconds since the
 * Unix epoch.
 *
 * @packageDocumentation
 */

export { Client, type Hold, type Subscription } from './client.js';
export * from './errors.js';
export { type Options } from './options.js';
export { socketPath } from './path.js';
export * from './shapes.js';
export * from './values.js';
export { Worker, type InitializerFunction, type InitializerOptions, type RetryPolicy, type Run, type WorkerOptions } from './worker.js';
