// The shapes of the protocol. Durations are in seconds here, and times are seconds since the Unix epoch. A later supervisor may add members
// and names: expect a name that isn't listed, and show it as it is.
//
// clients/types/generate makes this file from clients/protocol.schema.json. Don't edit it.

import type { Word } from './values.js';

/** The members of a numbered event. */
export interface Numbered {
  seq: number;
  time: number;
}

/** A topic of a subscription. */
export type Topic = Word<'launch' | 'active' | 'composite' | 'lifecycle' | 'initializer' | 'pass' | 'worker' | 'log'>;

/** Why a run failed, or how a process ended. */
export interface Cause {
  kind: Word<'error' | 'notFound' | 'exit' | 'signal' | 'timeout' | 'workerLost' | 'operator'>;
  message?: string;
  /** The exit status. */
  status?: number;
  signal?: string;
  /** The timeout in seconds. */
  after?: number;
  /** The user that has cancelled the run. */
  user?: string;
}

/** Why an initializer or a process isn't run although nothing has failed. */
export interface Skipped {
  reason: Word<'requested' | 'condition' | 'fresh' | 'unselected'>;
  message: string;
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
  skipped?: Skipped;
  stale?: boolean;
  earlierOutputs?: string[];
  waitsFor?: string[];
  unhealthy?: boolean;
  unhealthySince?: number;
  failure?: string;
  external?: boolean;
  answers?: boolean;
  stoppedBy?: string;
  stoppedAt?: number;
}

/** The reason why a pass failed, and the initializer that caused it. */
export interface Failure {
  code: Word<'circularDependency' | 'missingDependency' | 'duplicateInitializer' | 'initializerFailed'>;
  initializer: string;
  cycle?: string[];
  message: string;
  /** All failures of a pass that kept going after its first one, including the first one. */
  errors?: Failure[];
  dependency?: string;
  cause?: Cause;
}

/** The state of launch, of active, or of both together. */
export interface State {
  state: Word<'pending' | 'complete' | 'failed' | 'cancelled'>;
  error?: Failure;
  pass?: number;
}

/** A group of initializers. */
export interface Group {
  name: string;
  /** The maximum number of them that run at once. */
  places: number;
}

export interface StatusSource {
  path: string;
  digest: string;
}

/** A pass in flight. */
export interface PassInFlight {
  pass: number;
  phase: Word<'launch' | 'active'>;
  /** Left out while an active pass waits for launch. */
  opened?: number;
}

/** Why an initializer runs again although an earlier supervisor has run it. */
export interface Again {
  reason: Word<'secret' | 'stopped' | 'failed' | 'cancelled' | 'interrupted' | 'changed' | 'inputs' | 'stale' | 'expired' | 'perProcess' | 'checked' | 'inProcess' | 'once' | 'dependency' | 'unrecorded'>;
  /** With the reason `dependency`: the initializer on which it depends. */
  initializer?: string;
  message: string;
}

/** The last report of an initializer's run; each member is left out until it is reported. */
export interface Progress {
  fraction?: number;
  message?: string;
}

/** The release for which an initializer runs once. */
export interface Once {
  release: string;
  /** The fencing token of its last run on this host. */
  fence?: number;
  message?: string;
}

/** An initializer, and its last run. */
export interface Initializer {
  name: string;
  priority: Word<'appLaunch' | 'appActive'>;
  dependencies: string[];
  after?: string[];
  provider: Word<'inProcess' | 'command' | 'worker' | 'waitFor' | 'process'>;
  /** With the providers `waitFor` and `process`: the target that it waits for, e.g. `localhost:5432`. */
  waitsFor?: string;
  /** The process of the supervisor that registers it, if the manifest names it. */
  process?: string;
  /** Whether the initializer can run now. */
  available: boolean;
  status: Word<'idle' | 'waiting' | 'running' | 'stopping' | 'complete' | 'failed' | 'cancelled' | 'notRun' | 'skipped'>;
  optional?: boolean;
  group?: string;
  blockedBy?: string;
  skipped?: Skipped;
  again?: Again;
  /** The initializer is complete, but a dependency has run since then. */
  stale?: boolean;
  /** The initializer failed, and a reload has changed its work since then. */
  changed?: boolean;
  run?: number;
  attempt?: number;
  attempts?: number;
  nextAttempt?: number;
  pass?: number;
  phase?: Word<'launch' | 'active'>;
  started?: number;
  duration?: number;
  firstStarted?: number;
  /** The process id of the initializer's command, while the command runs. */
  pid?: number;
  progress?: Progress;
  error?: Failure;
  /** Why the command was killed, if it ignored SIGTERM after a timeout. */
  killed?: string;
  once?: Once;
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
  /** How many connections get events. */
  subscribers: number;
  processes: Process[];
  lifecycle: Word<'inactive' | 'active'>;
  launch: State;
  active: State;
  composite: State;
  holds: number;
  /** The fencing token of the client that holds the app active with a lease. */
  fence?: number;
  concurrency: number;
  groups?: Group[];
  ports?: Record<string, number>;
  manifest?: string[];
  sources?: StatusSource[];
  watch?: boolean;
  inFlight: PassInFlight[];
  initializers: Initializer[];
  workers: WorkerConnection[];
  warnings?: string[];
}

/** A line of a command's output. */
export interface LogLine {
  /** In seconds since the Unix epoch. */
  time: number;
  initializer: string;
  run: number;
  attempt?: number;
  pass?: number;
  /** The earlier supervisor that executed the attempt; left out for the present one. */
  instance?: string;
  stream: Word<'stdout' | 'stderr'>;
  line: string;
}

/** A run in the history. */
export interface RunRecord {
  run: number;
  initializer: string;
  attempt: number;
  attempts?: number;
  ready: number;
  provided?: number;
  freedBy?: string;
  freed?: number;
  group?: string;
  waits?: boolean;
  started: number;
  duration?: number;
  cpu?: number;
  polls?: number;
  outcome?: Word<'complete' | 'failed' | 'cancelled'>;
  cause?: Cause;
  traceparent?: string;
  waitedFor: string[];
}

/** A pass: one execution of a phase. Durations are in seconds, and times are seconds since the Unix epoch. */
export interface Pass {
  pass: number;
  phase: Word<'launch' | 'active'>;
  started: number;
  opened?: number;
  duration?: number;
  outcome?: Word<'complete' | 'failed' | 'cancelled'>;
  interrupted?: boolean;
  error?: Failure;
  concurrency: number;
  groups?: Group[];
  cores?: number;
  busy?: number;
  processes?: number;
  supervisor?: number;
  traceparent?: string;
  runs: RunRecord[];
}

/** Where the time of an initializer in a pass went. */
export interface InitializerTimes {
  name: string;
  outcome: Word<'idle' | 'waiting' | 'running' | 'stopping' | 'complete' | 'failed' | 'cancelled' | 'notRun' | 'skipped'>;
  attempts: number;
  waited: number;
  queued: number;
  running: number;
  cpu?: number;
  backoff: number;
  finished: number;
}

/** Where the time of a pass went. */
export interface PassTimes {
  instance?: string;
  pass: number;
  phase: Word<'launch' | 'active'>;
  outcome: Word<'idle' | 'waiting' | 'running' | 'stopping' | 'complete' | 'failed' | 'cancelled' | 'notRun' | 'skipped'>;
  interrupted?: boolean;
  started: number;
  held: number;
  duration: number;
  cores?: number;
  runs?: number;
  failedBy?: string;
  initializers: InitializerTimes[];
}

/** How long an initializer usually takes. */
export interface UsualInitializer {
  name: string;
  running: number;
  cpu?: number;
}

/** How long a phase usually takes. */
export interface Usual {
  phase: Word<'launch' | 'active'>;
  passes: number;
  duration: number;
  initializers: UsualInitializer[];
}

/** The result of `history`. */
export interface History {
  passes: Pass[];
  /** With `summaries`: where the time went. */
  summaries?: PassTimes[];
  /** With `usual`: how long each phase and each initializer usually takes. */
  usual?: Usual[];
}

/** The result of `launch`: the pass that it started or joined, else the last launch pass. */
export interface Launched {
  pass: number;
  launch: State;
}

/** The result of `activate`: the pass that it started or joined, else the last active pass. */
export interface Activated {
  pass: number;
  active: State;
  launch: State;
  cancelGrace?: number;
  manager?: string;
}

export interface ConfigurationChangesChangeFiles {
  count: number;
  example: string;
}

/** A changed initializer or process, with the changed keys in the manifest's words. */
export interface Redefined {
  name: string;
  keys: string[];
  variables?: string[];
  files?: ConfigurationChangesChangeFiles;
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

/** An initializer that a request couldn't be applied to, and its status. */
export interface Standing {
  name: string;
  status: Word<'idle' | 'waiting' | 'running' | 'stopping' | 'complete' | 'failed' | 'cancelled' | 'notRun' | 'skipped'>;
}

/**
 * An event. `snapshot` comes first, and again when events were missed: replace your state by it. Durations are in seconds, and times are
 * seconds since the Unix epoch. A topic that isn't listed may come from a later supervisor.
 */
export type Event =
  | (Numbered & {
      topic: 'state';
      changed: Word<'launch' | 'active' | 'composite' | 'lifecycle' | 'initializer' | 'pass' | 'worker' | 'log'>[];
      launch: State;
      active: State;
      composite: State;
      lifecycle: Word<'inactive' | 'active'>;
      fence?: number;
    })
  | (Numbered & {
      topic: 'pass';
      pass: number;
      phase: Word<'launch' | 'active'>;
      status: Word<'started' | 'complete' | 'failed' | 'cancelled'>;
    })
  | { topic: 'lagged'; dropped: number }
  | { topic: 'snapshot'; snapshot: Status }
  | { topic: 'shutdown' }
  | (Numbered & {
      topic: 'log';
      initializer: string;
      run: number;
      attempt?: number;
      pass?: number;
      instance?: string;
      stream: Word<'stdout' | 'stderr'>;
      line: string;
    })
  | (Numbered & { topic: 'initializer'; initializer: Initializer; removed?: boolean })
  | (Numbered & { topic: 'worker'; worker?: WorkerConnection; connected?: boolean; process?: Process; removed?: boolean });
