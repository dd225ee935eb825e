public import InitCore

/// What an `init.yaml` says, checked: every name is valid, every dependency is declared, and there is no cycle.
public struct Manifest: Hashable, Sendable {
  /// The file it was read from, as it was called; it stands in every finding.
  public let file: String
  /// How many initializers may run at once, at least 1; 1 unless said (S6).
  public internal(set) var concurrency = 1
  /// How long a pass waits for a worker to register what is missing; 10 s unless said (S20).
  public internal(set) var registrationTimeout = Duration.seconds(10)
  /// How long a run that was told to stop may take before it is killed; 5 s unless said (S13).
  public internal(set) var cancelGrace = Duration.seconds(5)
  /// How long a `stop` may take at the end before it is told to end; 10 s unless said (S24).
  public internal(set) var stopTimeout = Duration.seconds(10)
  /// What every command has in its environment, in the order written.
  public internal(set) var environment: [Variable] = []
  /// The initializers in the order written, which is the order of registration (S6).
  public internal(set) var initializers: [Initializer] = []
  /// The processes to start and keep running, in the order written.
  public internal(set) var workers: [Worker] = []

  init(file: String) {
    self.file = file
  }
}

extension Manifest {
  /// One initializer of a manifest.
  public struct Initializer: Hashable, Sendable {
    /// Its name, phase, dependencies and policies; what wasn't said has the value most initializers want.
    public let declaration: Declaration
    /// Who runs it.
    public let provider: Provider
    /// What it is for, in the author's words.
    public let description: String?
    /// Whether what it hands to its dependents mustn't be seen in logs, states and events.
    public let isSecret: Bool
    /// Which of its settings were written down; the others are defaults.
    public let said: Set<Setting>
    /// Where its name stands.
    public let position: Position
    /// Where each of `declaration.dependencies` stands.
    public let dependencyPositions: [Position]
  }

  /// Who runs an initializer of a manifest.
  public enum Provider: Hashable, Sendable {
    /// A program that the supervisor spawns.
    case command(Command)
    /// A process that registers it over the socket.
    case worker
  }

  /// A program and what it is started with.
  public struct Command: Hashable, Sendable {
    /// The program and its arguments, never empty. A command written as a string is `/bin/sh`, `-c` and that string.
    public let arguments: [String]
    /// Whether it was written as a string, for the shell.
    public let isShell: Bool
    /// Where it runs, as written: relative to the manifest's own directory; `nil` for that directory itself.
    public let workingDirectory: String?
    /// Its own environment, in the order written; it goes over the manifest's.
    public let environment: [Variable]
    /// What is run at the end if the command has completed, with its arguments; `nil` for nothing (S24).
    public var stop: [String]?
    /// Whether that was written as a string, for the shell.
    public var isStopShell = false
  }

  /// One variable of an environment. Neither part holds a NUL, and the name neither a `=`.
  public struct Variable: Hashable, Sendable {
    /// Its name, never empty.
    public let name: String
    /// Its value as written, perhaps empty.
    public let value: String
  }

  /// A setting of an initializer that has a default.
  public enum Setting: Hashable, Sendable, CaseIterable {
    /// How long an attempt may take (S15).
    case timeout
    /// How often a failed run is tried again (S16).
    case retry
    /// Whether its failure leaves the pass going on (S8).
    case optional
    /// Whether its effect lives in its worker's memory (S22).
    case perProcess
    /// Whether what it hands over mustn't be seen.
    case secret
  }

  /// A process that the supervisor is to start, and to start again if it ends.
  public struct Worker: Hashable, Sendable {
    /// Its name; it follows the rule for initializers' names.
    public let name: String
    /// What to start.
    public let command: Command
    /// When to start it again; `onFailure` unless said.
    public let restart: Restart
    /// The waits between one start and the next; its `attempts` is 1 and without meaning here.
    public let backoff: RetryPolicy
    /// What it is for, in the author's words.
    public let description: String?
    /// Where its name stands.
    public let position: Position
  }

  /// When a worker that ended is started again.
  public enum Restart: String, Hashable, Sendable, CaseIterable {
    /// When its exit status isn't 0 or a signal ended it.
    case onFailure
    /// However it ended.
    case always
    /// Not at all.
    case never
  }
}
