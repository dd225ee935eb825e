// The errors of this package: one class for each error code of the protocol, and one for each way to lose the connection.

export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const TIMED_OUT = -32003;
export const CANCELLED = -32008;
/** The code in a worker's answer if its function threw. */
export const RUN_FAILED = 1;

export class InitdError extends Error {
  constructor(message, { code, word, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.word = word;
  }
  get name() {
    return this.constructor.name;
  }
}

export class NoSupervisor extends InitdError {
  constructor(message, options) {
    super(message, { word: 'noSupervisor', ...options });
  }
}

export class ConnectionLost extends InitdError {
  constructor(message, options) {
    super(message, { word: 'connectionLost', ...options });
  }
}

export class ConnectionClosed extends ConnectionLost {
  constructor(message, options) {
    super(message, { word: 'connectionClosed', ...options });
  }
}

export class ProtocolError extends InitdError {
  constructor(message, options) {
    super(message, { word: 'protocolError', ...options });
  }
}

export class FrameTooLarge extends InitdError {
  constructor(message) {
    super(message, { word: 'frameTooLarge' });
  }
}

export class Cancelled extends InitdError {
  constructor(message, reason) {
    super(message, { code: CANCELLED, word: 'cancelled' });
    this.reason = reason;
  }
}

export class RequestError extends InitdError {
  constructor(code, message, data = {}, { cause } = {}) {
    super(message, { code, word: typeof data.code === 'string' ? data.code : (WORDS[code] ?? 'error'), cause });
    this.data = data;
  }
}

export class UnsupportedProtocol extends RequestError {
  get supported() {
    return this.data.supported ?? [];
  }
}

export class NameConflict extends RequestError {}

export class TimedOut extends RequestError {
  get status() {
    return this.data.status;
  }
}

export class UnknownInitializer extends RequestError {}

export class NotPermitted extends RequestError {}

export class ShuttingDown extends RequestError {}

export class LimitExceeded extends RequestError {
  get limit() {
    return this.data.limit;
  }
}

export class NotRunning extends RequestError {
  get initializers() {
    return this.data.initializers ?? [];
  }
}

export class Inactive extends RequestError {}

export class InvalidManifest extends RequestError {
  get findings() {
    return this.data.findings ?? [];
  }
}

export class UnreadableManifest extends RequestError {}

/** The names of the codes that JSON-RPC defines: these answers have no `data.code`. */
const WORDS = {
  [-32700]: 'parseError',
  [-32600]: 'invalidRequest',
  [METHOD_NOT_FOUND]: 'methodNotFound',
  [INVALID_PARAMS]: 'invalidParams',
  [-32603]: 'internalError',
};

const CLASSES = {
  [-32001]: UnsupportedProtocol,
  [-32002]: NameConflict,
  [TIMED_OUT]: TimedOut,
  [-32004]: UnknownInitializer,
  [-32005]: NotPermitted,
  [-32006]: ShuttingDown,
  [-32007]: LimitExceeded,
  [-32009]: NotRunning,
  [-32010]: Inactive,
  [-32011]: InvalidManifest,
  [-32012]: UnreadableManifest,
};

/** Returns an error like this one, so each caller has one with a stack of its own. Its cause is the cause of this error, or this error. */
export function likeness(error) {
  if (!(error instanceof InitdError)) return error;
  const { message, code, word, cause = error } = error;
  if (error instanceof RequestError) return new error.constructor(code, message, error.data, { cause });
  return new error.constructor(message, { word, cause });
}

/** Returns the exception for the `error` member of an answer. */
export function fromWire(error) {
  if (!Number.isInteger(error?.code) || typeof error.message !== 'string') {
    return new ProtocolError('cannot read an answer: its error has no code and message');
  }
  const data = error.data !== null && typeof error.data === 'object' ? error.data : {};
  return new (CLASSES[error.code] ?? RequestError)(error.code, error.message, data);
}
