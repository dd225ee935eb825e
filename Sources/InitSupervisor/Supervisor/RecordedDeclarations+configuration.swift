internal import InitCore
internal import InitDeclarations
internal import InitRecords
internal import InitText
internal import InitTimeline
internal import InitWords

extension RecordsSettings {
  /// Takes the settings of the records from a supervisor's.
  init(_ configuration: SupervisorConfiguration) {
    self.init(
      stateDirectory: configuration.stateDirectory, outputInLog: configuration.outputInLog,
      logLines: configuration.limits.logLines, logBytes: configuration.limits.logBytes,
      hasApp: configuration.app != nil, concurrency: configuration.machine.concurrency,
      cancelGrace: configuration.machine.cancelGrace, stopTimeout: configuration.machine.stopTimeout)
  }
}

extension RecordedDeclarations {
  /// Takes what the records need to know of a configuration's initializers, with their ``works(of:)``.
  init(_ configuration: SupervisorConfiguration, works: [String: String]) {
    let declared = configuration.initializers
    let dependencies = declared.map { ($0.declaration.name, $0.declaration.dependencies) }
    let polls = declared.compactMap { each in
      (each.command.flatMap { PollingLoop.pause(of: $0.arguments) } ?? each.probe?.every.inSeconds).map {
        (each.declaration.name, $0)
      }
    }
    self.init(
      works: works, once: declared.filter(\.isOnce).map(\.declaration.name),
      dependencies: Dictionary(dependencies) { first, _ in first }, polls: Dictionary(polls) { first, _ in first },
      pollingLaunches: PollingLoop.launchCommands(in: declared))
  }

  /// Returns the fingerprints of a configuration's work, by the names of the initializers; empty if nothing is compared with them.
  ///
  /// Each contains all variables, so many initializers with many variables take a while.
  static func works(of configuration: SupervisorConfiguration) -> [String: String] {
    let declared = configuration.initializers
    let isCompared = declared.contains { $0.declaration.freshness != nil }
    guard isCompared || configuration.stateDirectory != nil else { return [:] }
    let works = declared.compactMap { declared in declared.work.map { (declared.declaration.name, $0) } }
    return Dictionary(works) { first, _ in first }
  }
}

extension DeclaredInitializer {
  /// Returns the fingerprint of its work, which isn't known if a worker runs it.
  fileprivate var work: String? {
    let inputs: [UInt8] = (declaration.freshness?.inputs ?? []).flatMap { Array("\($0)".utf8) + [0] }
    let compared: [UInt8] = inputs.isEmpty ? [] : [2, 0] + inputs
    if let command { return "command \(Checksum(command.identity + compared))" }
    return inputs.isEmpty ? nil : "\(Recollection.worker) \(Checksum(compared))"
  }
}

extension Command {
  /// Returns the command's identity: its arguments, environment, directory and settings, each ended by a zero byte, which none of them contains.
  fileprivate var identity: [UInt8] {
    let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    var texts = arguments + ["\u{1}"] + variables + ["\u{1}"] + [directory ?? ""]
    if !settings.identity.isEmpty { texts += ["\u{1}"] + settings.identity }
    return texts.flatMap { Array($0.utf8) + [0] }
  }
}
