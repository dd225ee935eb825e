// The shapes of the protocol. Durations are in seconds here, and times are seconds since the Unix epoch. A later supervisor may add members
// and names: expect a name that isn't listed, and show it as it is.

/** A name in the protocol: one of these names, or a name that a later supervisor adds. */
export type Word<Known extends string> = Known | (string & {});

/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Why an initializer failed. */
export interface Cause {
  kind: Word<'error' | 'exit' | 'signal' | 'timeout' | 'workerLost' | 'notFound' | 'operator'>;
  message?: string;
  /** The exit status. */
  status?: number;
  signal?: string;
  /** The timeout in seconds. */
  after?: number;
  /** The user that has cancelled the run. */
  user?: string;
}

/** The reason why a pass failed, and the initializer that caused it. */
export interface Failure {
  code: Word<'circularDependency' | 'missingDependency' | 'duplicateInitializer' | 'initializerFailed'>;
  initializer?: string;
  dependency?: string;
  cycle?: string[];
  cause?: Cause;
  message: string;
  /** All failures of a pass that kept going after its first one, including the first one. */
  errors?: Failure[];
}

/** The state of launch, of active, or of both together. */
export interface State {
  state: Word<'pending' | 'complete' | 'failed' | 'cancelled'>;
  pass?: number;
  error?: Failure;
}

/** An initializer, and its last run. */
export interface Initializer {
  name: string;
  priority: Word<'appLaunch' | 'appActive'>;
  dependencies: string[];
  provider: Word<'inProcess' | 'command' | 'worker' | 'waitFor' | 'process'>;
  /** Whether the initializer can run now. */
  available: boolean;
  status: Word<'idle' | 'waiting' | 'running' | 'stopping' | 'complete' | 'failed' | 'cancelled' | 'notRun' | 'skipped'>;
  optional?: boolean;
  /** The initializer is complete, but a dependency has run since then. */
  stale?: boolean;
  blockedBy?: string;
  /** Why the initializer isn't run although nothing has failed. */
  skipped?: { reason: Word<'requested' | 'unselected'>; message: string };
  run?: number;
  attempt?: number;
  attempts?: number;
  pass?: number;
  phase?: Word<'launch' | 'active'>;
  started?: number;
  firstStarted?: number;
  /** The process id of the initializer's command, while the command runs. */
  pid?: number;
  nextAttempt?: number;
  duration?: number;
  progress?: { fraction?: number; message?: string };
  error?: Failure;
  once?: { release: string; fence?: number; message?: string };
}

/** A process that the supervisor keeps running. */
export interface Process {
  name: string;
  pid?: number;
  uptime?: number;
  restarts: number;
  lastExit?: Cause;
  nextStart?: number;
  givenUp: boolean;
  /** Why the process isn't started although nothing has failed. */
  skipped?: { reason: Word<'requested' | 'unselected'>; message: string };
}

/** A connection that provides initializers. */
export interface WorkerConnection {
  client: string;
  pid?: number;
  initializers: string[];
}

/** The complete state of the supervisor at one moment. Durations are in seconds, and times are seconds since the Unix epoch. */
export interface Status {
  /** The number of the last event. */
  seq: number;
  time: number;
  /** Identifies one execution of a supervisor: if it differs, passes and runs count from 1 again. */
  instance: string;
  pid: number;
  uptime: number;
  /** How many connections get events; left out by a supervisor that doesn't tell. */
  subscribers?: number;
  lifecycle: Word<'inactive' | 'active'>;
  launch: State;
  active: State;
  composite: State;
  holds: number;
  concurrency: number;
  inFlight: { pass: number; phase: Word<'launch' | 'active'>; opened?: number }[];
  initializers: Initializer[];
  workers: WorkerConnection[];
  processes: Process[];
  warnings?: string[];
}

/** A line of a command's output. */
export interface LogLine {
  /** In seconds since the Unix epoch. */
  time: number;
  initializer: string;
  run: number;
  attempt?: number;
  stream: Word<'stdout' | 'stderr'>;
  line: string;
}

/** A topic of a subscription. */
export type Topic = Word<'launch' | 'active' | 'composite' | 'lifecycle' | 'initializer' | 'pass' | 'worker' | 'log'>;

/** The members of a numbered event. */
export interface Numbered {
  seq: number;
  time: number;
}

/**
 * An event. `snapshot` comes first, and again when events were missed: replace your state by it. Durations are in seconds, and times are
 * seconds since the Unix epoch. A topic that isn't listed may come from a later supervisor.
 */
export type Event =
  | { topic: 'snapshot'; snapshot: Status }
  | { topic: 'lagged'; dropped: number }
  | { topic: 'shutdown' }
  | (Numbered & { topic: 'state'; changed: string[]; launch: State; active: State; composite: State; lifecycle: Status['lifecycle'] })
  | (Numbered & { topic: 'initializer'; initializer: Initializer; removed?: boolean })
  | (Numbered & { topic: 'pass'; pass: number; phase: Word<'launch' | 'active'>; status: Word<'started' | 'complete' | 'failed' | 'cancelled'> })
  | (Numbered & { topic: 'worker'; worker?: WorkerConnection; connected?: boolean; process?: Process; removed?: boolean })
  | (Numbered & { topic: 'log' } & LogLine);

/** A changed initializer or process, with the changed keys in the manifest's words. */
export interface Redefined {
  name: string;
  keys: string[];
}

/** A mistake in a configuration, or a warning about it. */
export interface Finding {
  file: string;
  line: number;
  column: number;
  severity: Word<'error' | 'warning'>;
  message: string;
  suggestion?: string;
}

/** The result of `reload`: names of initializers, and of processes that the supervisor keeps running. */
export interface Reloaded {
  added: string[];
  /** The initializers and processes whose work differs. */
  changed: Redefined[];
  removed: string[];
  /** The number of unchanged initializers and processes. */
  unchanged: number;
  /** The unchanged initializers with a changed setting that takes effect at the next run, e.g. the timeout. */
  fromNextRun?: Redefined[];
  /** The changed settings of the supervisor, in the manifest's words. */
  settings?: string[];
  /** Warnings about valid but probably unintended parts. */
  warnings?: Finding[];
}

/** The result of `history`. */
export interface History {
  passes: Pass[];
  /** With `summaries`: where the time went. */
  summaries?: Record<string, unknown>[];
  /** With `usual`: how long each phase and each initializer usually takes. */
  usual?: Record<string, unknown>[];
}

/** A pass: one execution of a phase. Durations are in seconds, and times are seconds since the Unix epoch. */
export interface Pass {
  pass: number;
  phase: Word<'launch' | 'active'>;
  started: number;
  opened?: number;
  duration?: number;
  outcome?: Word<'complete' | 'failed' | 'cancelled'>;
  error?: Failure;
  concurrency: number;
  runs: Record<string, unknown>[];
}
