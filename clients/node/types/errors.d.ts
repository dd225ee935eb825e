import type { Finding, Standing, Status } from './shapes.js';

/** The base class of all errors of this package. */
export class InitdError extends Error {
  /** The protocol's error code; undefined if the error doesn't come from the supervisor. */
  readonly code: number | undefined;
  /** The name of the error: the protocol's `data.code`, e.g. `timeout`, or this package's own, e.g. `connectionLost`. */
  readonly word: string;
}

/** No supervisor answers at the socket, or there is no path. The word is `noSupervisor`. */
export class NoSupervisor extends InitdError {}

/**
 * The connection ended before the answer came. The word is `connectionLost`. The supervisor may have executed the request. Each request has
 * an error of its own; its `cause` is the system's error if there was one, otherwise the error that ended the connection.
 */
export class ConnectionLost extends InitdError {}

/** The program closed the connection. The word is `connectionClosed`. */
export class ConnectionClosed extends ConnectionLost {}

/** The peer violated the protocol. The word is `notInitd` if the peer isn't a supervisor, otherwise `protocolError`. */
export class ProtocolError extends InitdError {}

/** A message is larger than the supervisor accepts. No part of the message was sent. The word is `frameTooLarge`. */
export class FrameTooLarge extends InitdError {}

/** The reason of a run's {@link Run.signal}. The code is −32008, the word `cancelled`. */
export class Cancelled extends InitdError {
  /** The supervisor's reason (`deactivated`, `timeout`, `failed`, `unregistered`, `shutdown`, `operator`), or `lost` if the connection was lost. */
  readonly reason: string;
}

/** The supervisor refused a request. */
export class RequestError extends InitdError {
  readonly code: number;
  /** The error's `data` as in the protocol, with durations in seconds; an empty object if there was none. */
  readonly data: Record<string, unknown>;
}

/** −32001 `unsupportedProtocol`: the supervisor speaks other versions. */
export class UnsupportedProtocol extends RequestError {
  /** The versions that the supervisor speaks. */
  readonly supported: number[];
}

/** −32002 `nameConflict`: the name has a live provider, or conflicts with the manifest. */
export class NameConflict extends RequestError {}

/** −32003 `timeout`: a `wait` timed out. */
export class TimedOut extends RequestError {
  /** The {@link Status} at that moment; undefined if the supervisor didn't answer. */
  readonly status: Status | undefined;
}

/** −32004 `unknownInitializer`: no initializer has this name. */
export class UnknownInitializer extends RequestError {}

/** −32005 `notPermitted`: permission denied. */
export class NotPermitted extends RequestError {}

/** −32006 `shuttingDown`: the supervisor is shutting down. */
export class ShuttingDown extends RequestError {}

/** −32007 `limitExceeded`: a limit of the supervisor is exceeded. */
export class LimitExceeded extends RequestError {
  /** The limit's name. */
  readonly limit: string | undefined;
}

/** −32009 `notRunning`: an initializer doesn't run, so it can't be cancelled, or never runs, so it can't run again. */
export class NotRunning extends RequestError {
  /** The name and the status of each initializer that doesn't run. */
  readonly initializers: Standing[];
}

/** −32010 `inactive`: an initializer runs in active passes, and the app is inactive. */
export class Inactive extends RequestError {}

/** −32011 `invalidManifest`: the configuration that `reload` has read has mistakes, and nothing has changed. */
export class InvalidManifest extends RequestError {
  /** The mistakes. */
  readonly findings: Finding[];
}

/** −32012 `unreadableManifest`: `reload` can't read the configuration, and nothing has changed. */
export class UnreadableManifest extends RequestError {}
