package import InitCore
package import InitWords

/// A checked `init.yaml`: every name is valid, every dependency is declared, and there is no cycle.
package struct Manifest: Hashable, Sendable {
  /// The name of its file, for findings; of several files, the first one.
  ///
  /// Relative paths start at the manifest's directory.
  package let file: String
  /// The files of the manifest, without their includes.
  package internal(set) var paths: [String]
  /// All files that were read, by their number in positions.
  package internal(set) var files: [String]
  /// The whole manifest as one file, if it was asked for.
  package internal(set) var resolved: String?
  /// How many initializers may run at once, at least 1; default 1 (S6).
  package internal(set) var concurrency = 1
  /// How many of each group of initializers may run at once, at least 1 (S33).
  package internal(set) var groups: [String: Int] = [:]
  /// Whether a failure stops only its dependents; default false (S28).
  package internal(set) var keepsGoing = false
  /// How long a pass waits for a worker to register a missing name; default 10 s (S20).
  package internal(set) var registrationTimeout = Duration.seconds(10)
  /// The maximum time for a run to stop before it is killed; default 5 s (S13).
  package internal(set) var cancelGrace = Duration.seconds(5)
  /// The maximum time for a `stop` at shutdown before it is cancelled; default 10 s (S24).
  package internal(set) var stopTimeout = Duration.seconds(10)
  /// The release of the app, for initializers with `once: fleet`; `nil` if it is given in another way.
  package internal(set) var release: String?
  /// The environment variables of every command, in the order written.
  package internal(set) var environment: [Variable] = []
  /// The initializers in the order written, which is the order of registration (S6).
  package internal(set) var initializers: [Initializer] = []
  /// The processes to start and keep running, in the order written.
  package internal(set) var workers: [WorkerEntry] = []
  /// The profiles of all initializers and processes, selected or not.
  package internal(set) var profiles: Set<String> = []
  /// Warnings about valid but probably unintended parts, in the order of the text.
  package internal(set) var warnings: [Finding] = []

  init(file: String) {
    self.file = file
    paths = [file]
    files = [file]
  }

  /// Returns a finding at a position of one of its files.
  package func finding(at position: Position, problem: String, remedy: String) -> Finding {
    Finding(file: files[position.file], at: position, problem: problem, remedy: remedy)
  }
}

extension Manifest {
  /// What a manifest is for; other keys are allowed in each.
  package enum Purpose: Sendable {
    /// A supervisor (`init.yaml`).
    case supervisor
    /// A worker that runs commands (`initctl worker --config`).
    ///
    /// The initializers of a worker's manifest may depend on initializers outside of it.
    case worker
  }

  /// One initializer of a manifest.
  package struct Initializer: Hashable, Sendable {
    /// The name, phase, dependencies and policies, with defaults for those not given.
    package let declaration: Declaration
    /// The provider.
    package let provider: DeclaredProvider
    /// The description.
    package let description: String?
    /// The condition that must hold when its turn comes; `nil` if there is none (S29).
    package let condition: Condition?
    /// The positions of the inputs in `declaration.freshness`.
    package let inputPositions: [Position]
    /// Whether the output must not appear in logs, states and events.
    package let isSecret: Bool
    /// Whether the initializer runs once for a release in the whole fleet.
    package let isOnce: Bool
    /// The profiles that select the initializer; without profiles, it is always selected.
    package let profiles: [String]
    /// The settings that were given; the others are defaults.
    package let said: Set<Setting>
    /// The position of the initializer's name.
    package let position: Position
    /// The positions of `declaration.dependencies`.
    package let dependencyPositions: [Position]
  }

  /// The provider of an initializer in a manifest.
  package enum DeclaredProvider: Hashable, Sendable {
    /// A program that the supervisor spawns.
    case command(Command)
    /// A process registers its initializers over the socket.
    case worker
    /// The supervisor itself, which waits for something outside of it (S31).
    case waitFor(Probe)
    /// A process of `workers`, whose run completes when it is ready (S32).
    case process
  }

  /// A program and its arguments, as written at a position of the manifest.
  package struct Program: Hashable, Sendable {
    /// The program and its arguments, never empty.
    package let arguments: [String]
    /// Whether the program was written as a string, for the shell.
    package let isShell: Bool
    /// The position of the program.
    package let position: Position
  }

  /// A program, its arguments, its environment and its directory.
  package struct Command: Hashable, Sendable {
    /// The program and its arguments, never empty.
    ///
    /// A command written as a string is `/bin/sh`, `-c` and that string.
    package let arguments: [String]
    /// Whether the command was written as a string, for the shell.
    package let isShell: Bool
    /// The working directory as written, relative to the manifest's directory; `nil` for that directory.
    package let workingDirectory: String?
    /// The command's own environment variables, in the order written; they override the manifest's.
    package let environment: [Variable]
    /// The program, with arguments, to run at shutdown if the command has completed; `nil` for none (S24).
    package var stop: Program?
    /// The program that checks whether the process is ready, in the same directory and environment; `nil` for none (S32).
    package var check: Program?
    /// The user, limits, priority and output of the command.
    package var settings = ProcessSettings()
    /// The position of the user in `settings`.
    package var userPosition = Position.start
    /// The position of the program.
    package var position = Position.start
    /// The position of the working directory; `nil` if it is that of the manifest.
    package var directoryPosition: Position?

    /// The program to start.
    package var program: Program { Program(arguments: arguments, isShell: isShell, position: position) }
  }

  /// One variable of an environment.
  ///
  /// Neither part contains NUL, and the name contains no `=`.
  package struct Variable: Hashable, Sendable {
    /// The name, never empty.
    package let name: String
    /// The value as written, perhaps empty.
    package let value: String
  }

  /// A setting of an initializer that has a default.
  package enum Setting: Hashable, Sendable, CaseIterable {
    /// The phase that runs the initializer.
    case priority
    /// The initializers that must be complete first (S5).
    case dependencies
    /// How long an attempt may take (S15).
    case timeout
    /// How often a failed run is retried (S16).
    case retry
    /// Whether the pass continues if it fails (S8).
    case optional
    /// Whether the effect is only in its worker's memory (S22).
    case perProcess
    /// Whether the output is secret.
    case secret
  }

  /// Where an initializer runs once for a release.
  package enum Scope: String, Hashable, Sendable, CaseIterable {
    /// On one host of the fleet.
    case fleet
  }

  /// A process that the supervisor starts, and restarts when it exits.
  package struct WorkerEntry: Hashable, Sendable {
    /// The name; it follows the rule for initializers' names.
    package let name: String
    /// The command to start.
    package let command: Command
    /// When to restart the process; default `onFailure`.
    package let restart: Restart
    /// The delays between starts; its `attempts` is 1 and isn't used.
    package let backoff: RetryPolicy
    /// The initializers that are complete before the process is started.
    package let dependencies: [String]
    /// The positions of `dependencies`.
    package let dependencyPositions: [Position]
    /// How readiness is detected, and how the process is stopped.
    package let policy: ProcessPolicy
    /// The maximum time until the process is ready.
    package let timeout: Duration?
    /// The group in which the start of the process has a place.
    package let group: String?
    /// What happens to its dependents when the process has ended after it was ready.
    package let onRestart: OnRestart
    /// The description.
    package let description: String?
    /// The profiles that select the process; without profiles, it is always selected.
    package let profiles: [String]
    /// The position of the process's name.
    package let position: Position
  }

  /// Decides which output of a command or a process goes to the log, regardless of the supervisor's settings.
  package enum Output: String, Hashable, Sendable, CaseIterable {
    /// Every line.
    case all
  }

  /// Decides what happens to the dependents of a process that has ended after it was ready.
  package enum OnRestart: String, Hashable, Sendable, CaseIterable {
    /// The dependents become stale (S26).
    case ignore
    /// The dependents run again once the process is ready.
    case rerun
  }

  /// When a worker is restarted after its exit.
  package enum Restart: String, Hashable, Sendable, CaseIterable {
    /// If the exit status isn't 0 or a signal ended the process.
    case onFailure
    /// Always.
    case always
    /// Never.
    case never
  }
}
