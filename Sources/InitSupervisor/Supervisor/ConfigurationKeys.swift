internal import InitCore
internal import InitWords

/// A key of a definition, in the manifest's words: it compares two definitions, so a reload can say what has changed (S27).
///
/// A definition is compared as a whole, and its keys only name the difference. So a member without a key can't be overlooked: if it
/// differs, the work counts as changed.
struct ConfigurationKey<Definition: Hashable>: Sendable {
  /// The key.
  let word: String
  /// Whether a changed value means other work, which must be done again; otherwise the change takes effect at the next run.
  let isWork: Bool
  /// Copies the key's value from the second definition into the first.
  let copy: @Sendable (inout Definition, Definition) -> Void

  static func work(
    _ word: String, _ copy: @escaping @Sendable (inout Definition, Definition) -> Void
  ) -> ConfigurationKey { ConfigurationKey(word: word, isWork: true, copy: copy) }

  static func fromNextRun(
    _ word: String, _ copy: @escaping @Sendable (inout Definition, Definition) -> Void
  ) -> ConfigurationKey { ConfigurationKey(word: word, isWork: false, copy: copy) }
}

/// A definition whose differences have names.
protocol KeyedDefinition: Hashable {
  /// The keys, in the order in which they are named.
  static var keys: [ConfigurationKey<Self>] { get }
  /// What the whole is called if none of the keys differs.
  static var rest: String { get }
}

extension KeyedDefinition {
  static var rest: String { "definition" }

  /// Returns which keys differ in another definition, and whether that is other work.
  func difference(to other: Self) -> (words: [String], isWork: Bool) {
    guard self != other else { return ([], false) }
    var current = self
    var words = [String]()
    var isWork = false
    for key in Self.keys {
      var next = current
      key.copy(&next, other)
      guard next != current else { continue }
      current = next
      words.append(key.word)
      isWork = isWork || key.isWork
    }
    guard current != other else { return (words, isWork) }
    return (words + [Self.rest], true)
  }
}

/// An initializer and the supervisor's settings that apply to it.
struct InitializerDefinition: KeyedDefinition {
  var initializer: DeclaredInitializer
  /// The release of an initializer that runs once for it; nil if the initializer isn't marked `once`.
  var release: String?
  /// The value of the variable of all commands that its condition names, if that differs.
  var conditionVariable: String?
  /// The process that the initializer starts, if that is its work (S32).
  var process: ProcessDefinition?

  static let keys: [ConfigurationKey<InitializerDefinition>] = ofProcess + own

  /// The keys of the process that the initializer starts; if it started none before, or starts none any more, it has another command.
  private static let ofProcess: [ConfigurationKey<InitializerDefinition>] =
    ProcessDefinition.keys.filter { $0.word != "dependencies" }.map { key in
      ConfigurationKey(word: key.word, isWork: key.isWork) {
        guard var process = $0.process, let other = $1.process else { return }
        key.copy(&process, other)
        $0.process = process
      }
    }

  static let own: [ConfigurationKey<InitializerDefinition>] = [
    .work("command") {
      $0.initializer.command.copyProgram(from: $1.initializer.command)
      if ($0.process == nil) != ($1.process == nil) {
        $0.process = $1.process
        $0.initializer.isProcess = $1.initializer.isProcess
      }
    },
    .work("environment") { $0.initializer.command?.environment = $1.initializer.command?.environment ?? [:] },
    .work("workingDirectory") { $0.initializer.command?.directory = $1.initializer.command?.directory },
    .work("user") { $0.initializer.command?.settings.user = $1.initializer.command?.settings.user },
    .work("limits") {
      if let settings = $1.initializer.command?.settings { $0.initializer.command?.settings.limits = settings.limits }
    },
    .work("waitFor") { $0.initializer.probe = $1.initializer.probe },
    .work("dependencies") {
      $0.initializer.declaration.dependencies = $1.initializer.declaration.dependencies
      if let process = $1.process?.process { $0.process?.process.dependencies = process.dependencies }
    },
    .work("inputs") { $0.initializer.declaration.freshness.copyInputs(from: $1.initializer.declaration.freshness) },
    .work("phase") { $0.initializer.declaration.priority = $1.initializer.declaration.priority },
    .work("release") { if $0.release != nil, $1.release != nil { $0.release = $1.release } },
    .fromNextRun("when") {
      $0.initializer.condition = $1.initializer.condition
      $0.conditionVariable = $1.conditionVariable
      $0.initializer.declaration.hasCondition = $1.initializer.declaration.hasCondition
    },
    .fromNextRun("once") {
      $0.initializer.isOnce = $1.initializer.isOnce
      $0.release = $1.release
    },
    .fromNextRun("freshFor") {
      $0.initializer.declaration.freshness.copyLimit(from: $1.initializer.declaration.freshness)
    },
    .fromNextRun("timeout") { $0.initializer.declaration.timeout = $1.initializer.declaration.timeout },
    .fromNextRun("retry") { $0.initializer.declaration.retry = $1.initializer.declaration.retry },
    .fromNextRun("group") { $0.initializer.declaration.group = $1.initializer.declaration.group },
    .fromNextRun("optional") { $0.initializer.declaration.isOptional = $1.initializer.declaration.isOptional },
    .fromNextRun("perProcess") { $0.initializer.declaration.isPerProcess = $1.initializer.declaration.isPerProcess },
    .fromNextRun("secret") { $0.initializer.isSecret = $1.initializer.isSecret },
    .fromNextRun("nice") { $0.initializer.command?.settings.nice = $1.initializer.command?.settings.nice },
    .fromNextRun("output") {
      if let settings = $1.initializer.command?.settings {
        $0.initializer.command?.settings.showsOutput = settings.showsOutput
      }
    },
    .fromNextRun("worker") { $0.initializer.declaration.process = $1.initializer.declaration.process },
    .fromNextRun("onRestart") {
      $0.initializer.declaration.rerunsDependents = $1.initializer.declaration.rerunsDependents
    },
    .fromNextRun("stop") {
      $0.initializer.command?.stop = $1.initializer.command?.stop
      $0.initializer.declaration.hasStop = $1.initializer.declaration.hasStop
    },
  ]
}

/// A kept process.
struct ProcessDefinition: KeyedDefinition {
  var process: DeclaredWorker

  static let keys: [ConfigurationKey<ProcessDefinition>] = [
    .work("command") { $0.process.command.arguments = $1.process.command.arguments },
    .work("environment") { $0.process.command.environment = $1.process.command.environment },
    .work("workingDirectory") { $0.process.command.directory = $1.process.command.directory },
    .work("user") { $0.process.command.settings.user = $1.process.command.settings.user },
    .work("limits") { $0.process.command.settings.limits = $1.process.command.settings.limits },
    .work("dependencies") { $0.process.dependencies = $1.process.dependencies },
    .work("ready") { $0.process.policy.ready = $1.process.policy.ready },
    .work("only") { $0.process.exclusion = $1.process.exclusion },
    .fromNextRun("nice") { $0.process.command.settings.nice = $1.process.command.settings.nice },
    .fromNextRun("stopSignal") { $0.process.policy.stopSignal = $1.process.policy.stopSignal },
    .fromNextRun("stopTimeout") { $0.process.policy.stopTimeout = $1.process.policy.stopTimeout },
    .fromNextRun("restart") { $0.process.restart = $1.process.restart },
    .fromNextRun("backoff") { $0.process.backoff = $1.process.backoff },
    .fromNextRun("output") { $0.process.command.settings.showsOutput = $1.process.command.settings.showsOutput },
  ]
}

/// The settings of a supervisor that a reload changes.
struct ReloadableSettings: KeyedDefinition {
  var machine: Machine.Configuration
  var environment: [String: String]
  var declaredEnvironment: [String: String]
  var release: String?

  static var rest: String { "settings" }

  static let keys: [ConfigurationKey<ReloadableSettings>] = [
    .fromNextRun("release") { $0.release = $1.release },
    .fromNextRun("concurrency") { $0.machine.concurrency = $1.machine.concurrency },
    .fromNextRun("groups") { $0.machine.groups = $1.machine.groups },
    .fromNextRun("keepGoing") { $0.machine.keepsGoing = $1.machine.keepsGoing },
    .fromNextRun("registrationTimeout") { $0.machine.registrationTimeout = $1.machine.registrationTimeout },
    .fromNextRun("cancelGrace") { $0.machine.cancelGrace = $1.machine.cancelGrace },
    .fromNextRun("stopTimeout") { $0.machine.stopTimeout = $1.machine.stopTimeout },
    .fromNextRun("environment") {
      $0.environment = $1.environment
      $0.declaredEnvironment = $1.declaredEnvironment
    },
  ]
}

extension Command? {
  /// Copies the program and its arguments; if only one of them has a command, copies all of it.
  fileprivate mutating func copyProgram(from other: Command?) {
    if self == nil || other == nil { self = other } else { self?.arguments = other?.arguments ?? [] }
  }
}

extension Freshness? {
  /// Copies the files.
  fileprivate mutating func copyInputs(from other: Freshness?) {
    let inputs = other?.inputs ?? []
    let directory = (inputs.isEmpty ? self : other)?.directory ?? ""
    self =
      inputs.isEmpty && self?.limit == nil ? nil : Freshness(inputs: inputs, limit: self?.limit, directory: directory)
  }

  /// Copies the time.
  fileprivate mutating func copyLimit(from other: Freshness?) {
    let inputs = self?.inputs ?? []
    let directory = (inputs.isEmpty ? other : self)?.directory ?? ""
    self =
      inputs.isEmpty && other?.limit == nil ? nil : Freshness(inputs: inputs, limit: other?.limit, directory: directory)
  }
}
