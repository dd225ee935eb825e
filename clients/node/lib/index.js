// Client and worker for the initialization supervisor initd.

export { Client } from './client.js';
export {
  Cancelled,
  ConnectionClosed,
  ConnectionLost,
  FrameTooLarge,
  Inactive,
  InitdError,
  InvalidManifest,
  LimitExceeded,
  NameConflict,
  NoSupervisor,
  NotPermitted,
  NotRunning,
  ProtocolError,
  RequestError,
  ShuttingDown,
  TimedOut,
  UnknownInitializer,
  UnreadableManifest,
  UnsupportedProtocol,
} from './errors.js';
export { socketPath } from './path.js';
export { Worker } from './worker.js';
