internal import AppInitializers
internal import EventLoop
internal import InitCore
internal import InitDeclarations
internal import InitLog
internal import InitModel
internal import InitRecords
internal import InitRunner
internal import InitText
internal import InitWire
internal import InitWords
internal import Logging
internal import Platform

/// Reads the configuration again, compares it with the previous one, and applies the differences in one step of the machine (S27).
///
/// A configuration that has a mistake, or can't be read, changes nothing. It is read and compared on a thread of its own, because a file may
/// block, and a large manifest takes a while. Requests that arrive in the meantime wait for the next reading, and share it. So a request
/// waits for at most one reading that isn't its own, regardless of how many requests there are.
final class Reloads {
  /// Called with the outcome of a request.
  typealias Answer = (Result<ConfigurationChanges, WireError>) -> Void

  private struct Demand {
    let params: ReloadRequest
    let reason: String
    let answer: Answer
  }

  /// A configuration that was read, and its differences.
  fileprivate struct Reread: Sendable {
    let configuration: SupervisorConfiguration
    let warnings: [ConfigurationChanges.Finding]
    /// The differences from the configuration before.
    let difference: ConfigurationDifference
    /// The differences for the requests after the one that has applied them: none.
    let repetition: ConfigurationDifference?
    /// The identities of the work, for the launch journal.
    let works: [String: String]
    /// The files of the inputs of launch initializers, as they are now.
    let inputs: [String: InputDigests]
    /// The watched files, without their contents, before the inputs were read; empty if nothing is watched.
    let watched: [Watched: WatchedFiles]
  }

  /// The outcome of reading.
  fileprivate typealias Reading = Result<Reread, ConfigurationFault>

  /// How many mistakes an answer lists, and the log.
  private static let mostFindings = 100
  private static let mostLogged = 10

  let shared: SupervisorContext
  /// This, for the thread that reads.
  private let own: LoopReference<Reloads>
  private let owners: ProviderOwners
  private let records: Records
  private let execution: Execution
  private var recorded: RecordedDeclarations
  /// Called when commands and processes may need more or fewer descriptors.
  var onDescriptorsChange: () -> Void = {}
  /// Called after the configuration was read without a mistake, with the names of what has other work, and the watched files as they were
  /// while it was read.
  var onReload: (Set<String>, [Watched: WatchedFiles]) -> Void = { _, _ in }
  private let holds: LeasedHolds
  private var queue = ReloadQueue<Demand>()
  /// Which outcomes and refusals are logged: a flood of requests must not fill the log.
  private var outcomePace = LinePace()
  private var refusalPace = LinePace()

  init(
    _ shared: SupervisorContext, recorded: RecordedDeclarations, records: Records, execution: Execution,
    holds: LeasedHolds,
    owners: ProviderOwners
  ) {
    self.shared = shared
    self.owners = owners
    own = LoopReference(loop: shared.loop)
    self.recorded = recorded
    self.records = records
    self.execution = execution
    self.holds = holds
    own.refer(to: self)
  }

  /// Reloads; `answer` is called once, perhaps later.
  ///
  /// `user` is the user who requests it.
  func reload(_ params: ReloadRequest, of user: UInt32, because reason: String, then answer: @escaping Answer) {
    guard shared.configuration.source != nil else {
      return refuse(
        WireError(
          .invalidRequest,
          "cannot reload: initd was started without a manifest; start it with --config FILE, or have workers register again"
        ), reason, answer)
    }
    guard !shared.isEnding else { return answer(.failure(WireError(Refusal.shuttingDown))) }
    guard queue.add(Demand(params: params, reason: reason, answer: answer), of: user) else {
      return refuse(
        WireError(
          .limitExceeded,
          "cannot reload: \(ReloadQueue<Demand>.mostOfUser) reloads of this user wait already; try again later",
          detail: .limit("reloads")), reason, answer)
    }
    if !queue.isReading { read() }
  }

  private func refuse(_ error: WireError, _ reason: String, _ answer: Answer) {
    if let more = refusalPace.admits(error.message, at: shared.loop.now) {
      shared.logger.warning("\(error.message) (\(reason))\(more)", metadata: .event(.reloadFailed))
    }
    answer(.failure(error))
  }

  private func read() {
    guard let source = shared.configuration.source else { return }
    let demands = queue.begin()
    if demands.contains(where: { !$0.params.dryRun }) { execution.report.notifyOfReload() }
    do throws(SystemError) {
      try PlatformThread.start(name: "reload") { [old = shared.configuration, isShared = demands.count > 1, own] in
        let reading = Reading(reading: source, after: old, isShared: isShared)
        own.perform { $0.finish(reading) }
      }
    } catch {
      finish(.failure(.unreadable("cannot read \(source.name): \(error)")))
    }
  }

  fileprivate func finish(_ reading: Reading) {
    let demands = queue.end()
    let real = demands.filter { !$0.params.dryRun }
    var round = Round(reading, reasons: real.map(\.reason))
    let outcomes = demands.map { demand in (demand, Result { () throws(WireError) in try result(of: demand, &round) }) }
    if let error = round.failure, !real.isEmpty { logFailure(error, round) }
    if !real.isEmpty { execution.report.notifyOfReloadEnd() }
    for (demand, outcome) in outcomes { demand.answer(outcome) }
    if queue.hasWaiting { read() }
  }

  /// What is done for the requests that share a reading.
  private struct Round {
    let reading: Reading
    /// Who requests it, for the log.
    let reason: String
    /// Whether the differences have been applied.
    var isApplied = false
    /// Why they can't be applied; nil if they can, as far as known.
    var failure: WireError?

    init(_ reading: Reading, reasons: [String]) {
      self.reading = reading
      reason = (reasons.first ?? "") + (reasons.count > 1 ? ", and \(reasons.count - 1) more" : "")
    }
  }

  private func result(of demand: Demand, _ round: inout Round) throws(WireError) -> ConfigurationChanges {
    if let failure = round.failure { throw failure }
    do throws(WireError) {
      guard !shared.isEnding else { throw WireError(Refusal.shuttingDown) }
      let read = try reread(round.reading)
      var difference = read.difference
      if round.isApplied {
        difference = read.repetition ?? difference
      } else {
        try check(read.configuration)
        difference.checkAgain(skippedByCondition)
        difference.noteInputs(changedInputs(read.inputs))
        if !demand.params.dryRun {
          try apply(difference, read, demand, round.reason)
          round.isApplied = true
          shared.adopt(read.configuration.sourceFiles)
          onReload(difference.namesOfOtherWork, read.watched)
        }
      }
      var result = difference.result
      result.warnings = Array(read.warnings.prefix(Self.mostFindings))
      return result
    } catch {
      round.failure = error
      throw error
    }
  }

  private var skippedByCondition: Set<String> {
    shared.read { machine in
      Set(
        machine.initializers.lazy.filter { if case .condition? = $0.skipReason { true } else { false } }
          .map(\.declaration.name))
    }
  }

  /// Looks again at the inputs of what has completed, before launch is tried again: what has other files runs again (S27).
  func lookAgain(then: @escaping () -> Void) {
    let configuration = shared.configuration
    guard configuration.initializers.contains(where: { $0.declaration.freshness?.inputs.isEmpty == false }) else {
      return then()
    }
    shared.loop.performInThread {
      configuration.inputDigests
    } then: { [weak self] result in
      guard let self else { return }
      if case .success(let now) = result { runAgain(Set(changedInputs(now).keys)) }
      then()
    }
  }

  private func runAgain(_ names: Set<String>) {
    let declared = shared.configuration.initializers.filter { names.contains($0.declaration.name) }
    guard !declared.isEmpty, !shared.isEnding else { return }
    let changes = declared.map { Reload.Change($0.declarationOfWork, $0.kind, isOfWork: true) }
    let providers = declared.reduce(into: [String: (any InitializerProvider)?]()) { providers, each in
      providers.updateValue(
        each.provider(of: owners, in: shared.configuration.environment), forKey: each.declaration.name)
    }
    shared.logger.info("inputs have changed, so these run again: \(NameList.shown(names.sorted()))")
    records.launches.recordChange(of: names.sorted(), outdating: [])
    try? shared.reload(Reload(changed: changes), providers: providers)
  }

  /// Returns the files that differ from those when their launch initializers completed.
  private func changedInputs(_ now: [String: InputDigests]) -> [String: [String]] {
    guard !now.isEmpty else { return [:] }
    let complete = shared.read { machine in
      now.keys.filter {
        machine.initializer(named: $0).map { $0.status == .complete || $0.skipReason == .fresh } == true
      }
    }
    return complete.reduce(into: [:]) { changed, name in
      guard let files = now[name].flatMap({ records.launches.changedFiles(of: name, now: $0) }), !files.isEmpty else {
        return
      }
      changed[name] = files
    }
  }

  private func reread(_ reading: Reading) throws(WireError) -> Reread {
    switch reading {
    case .success(let read): return read
    case .failure(.unreadable(let why)):
      throw WireError(.unreadableManifest, "cannot reload, so nothing has changed: \(why)")
    case .failure(.invalid(let findings)): throw mistakes(findings)
    }
  }

  private func mistakes(_ findings: [ConfigurationChanges.Finding]) -> WireError {
    let name = shared.configuration.source?.name ?? "the configuration"
    let (count, them) = findings.count == 1 ? ("a mistake", "it") : ("\(findings.count) mistakes", "them")
    return WireError(
      .invalidManifest, "cannot reload: \(name) has \(count), so nothing has changed; correct \(them) and reload again",
      detail: .findings(Array(findings.prefix(Self.mostFindings))))
  }

  /// Checks rules that depend on more than the manifest.
  private func check(_ new: SupervisorConfiguration) throws(WireError) {
    do throws(UnusableRelease) {
      try new.checkRelease()
    } catch {
      let file = shared.configuration.source?.name ?? ""
      throw mistakes([
        ConfigurationChanges.Finding(
          file: file, line: 1, column: 1, severity: .error, message: error.problem, suggestion: error.remedy)
      ])
    }
    let known = shared.read { $0.initializerCount }
    guard known - shared.configuration.initializers.count + new.initializers.count <= shared.limits.initializers else {
      throw WireError(
        .limitExceeded,
        "cannot reload: there would be more than \(shared.limits.initializers) initializers; remove some, or raise --limit initializers",
        detail: .limit("initializers"))
    }
  }

  /// Applies the differences in one step of the machine, except to kept processes, which stop and start one after another.
  private func apply(
    _ difference: ConfigurationDifference, _ read: Reread, _ demand: Demand, _ reason: String
  ) throws(WireError) {
    guard !difference.isEmpty else { return log(difference, read.warnings, reason) }
    let old = shared.configuration
    let new = read.configuration
    let ports = execution.context.ports
    let chosen: Ports.Choice
    do throws(PortFault) {
      chosen = try ports.choose(new.ports)
    } catch {
      throw WireError(.limitExceeded, "cannot reload, so nothing has changed: \(error)", detail: .limit("ports"))
    }
    let before = recorded
    let after = RecordedDeclarations(new, works: read.works)
    let parts = difference.initializers
    let corrected = difference.corrected(among: execution.probes.initializers)
    adopt(new, after)
    let changed = parts.changed.filter(\.isWork).map(\.name)
    let outdated = records.launches.runs(of: changed)
    do throws(Refusal) {
      log(difference, read.warnings, reason)
      try shared.reload(
        machineReload(difference, from: old, corrected, withDependents: demand.params.withDependents),
        providers: providers(of: parts))
    } catch {
      adopt(old, before)
      execution.shapes.reload()
      throw execution.workers.refusal(ofReload: error)
    }
    ports.adopt(chosen)
    records.ports.record(ports.numbers)
    execution.shapes.reload()
    execution.probes.reload(Set(changed))
    records.launches.recordChange(of: changed, outdating: outdated)
    records.launches.forget(parts.removed)
    let secrets = Set(new.initializers.lazy.filter(\.isSecret).map(\.declaration.name))
    records.launches.recordSecrecy(of: parts.changed.map(\.name).filter(secrets.contains))
    let ofWorkers = Set(new.initializers.lazy.filter { $0.kind == .worker }.map(\.declaration.name))
    execution.workers.forget(Set(parts.removed).union(changed.filter { !ofWorkers.contains($0) }))
    let processes = difference.processes
    let restarted = Set(processes.changed.filter(\.isWork).map(\.name) + processes.added)
    execution.processes.reload(
      removed: processes.removed, changed: restarted.union(processes.changed.map(\.name)), restarted: restarted)
    if demand.params.withDependents { execution.processes.restartDependents(of: changed) }
    // What the supervisor needs for itself may differ.
    onDescriptorsChange()
    if case .failed = shared.read({ $0.states.launch }).state {
      shared.logger.info("launch has failed; initctl launch runs what isn't complete")
    }
  }

  /// Gives the configuration to the components, which keep some of it in another form.
  private func adopt(_ new: SupervisorConfiguration, _ recorded: RecordedDeclarations) {
    self.recorded = recorded
    shared.adopt(new)
    execution.shapes.reload(keepsOld: true)
    execution.context.settings = RunnerSettings(shared.configuration)
    execution.coordination.reload()
    execution.workers.reload()
    records.reload(recorded, RecordsSettings(shared.configuration))
    holds.reload()
  }

  private func machineReload(
    _ difference: ConfigurationDifference, from old: SupervisorConfiguration, _ corrected: Set<String>,
    withDependents: Bool
  ) -> Reload {
    let parts = difference.initializers
    let declared = Dictionary(shared.configuration.initializers.map { ($0.declaration.name, $0) }) { first, _ in first }
    let hasSame = difference.settings.isEmpty && old.machine.only == shared.configuration.machine.only
    return Reload(
      added: parts.added.compactMap { declared[$0] }.map { Reload.Addition($0.declarationOfWork, $0.kind) },
      changed: parts.changed.compactMap { change in
        declared[change.name].map {
          Reload.Change(
            $0.declarationOfWork, $0.kind, isOfWork: change.isWork && !corrected.contains(change.name))
        }
      },
      removed: parts.removed,
      settings: hasSame ? nil : Reload.Settings(shared.configuration.machine),
      withDependents: withDependents)
  }

  private func providers(of parts: ConfigurationDifference.Parts) -> [String: (any InitializerProvider)?] {
    let names = Set(parts.added).union(parts.changed.map(\.name))
    return shared.configuration.initializers.reduce(into: [:]) { providers, declared in
      let name = declared.declaration.name
      guard names.contains(name) else { return }
      providers.updateValue(declared.provider(of: owners, in: shared.configuration.environment), forKey: name)
    }
  }

  // MARK: The log

  private func summary(of difference: ConfigurationDifference) -> String {
    let name = shared.configuration.source?.name ?? "the configuration"
    guard !difference.isEmpty else { return "reloading \(name): nothing has changed" }
    let result = difference.result
    let texts = [
      ("added", result.added), ("changed", result.changed.map(\.words)), ("removed", result.removed),
      ("from the next run on", result.fromNextRun.map(\.words)), ("settings", result.settings),
    ].filter { !$0.1.isEmpty }.map { "\($0): \(NameList.shown($1))" }
    return "reloading \(name): \((texts + ["\(result.unchanged) unchanged"]).joined(separator: "; "))"
  }

  /// Logs what a reload changes; that nothing changes only once a second.
  private func log(_ difference: ConfigurationDifference, _ warnings: [ConfigurationChanges.Finding], _ reason: String)
  {
    let summary = summary(of: difference)
    let more = difference.isEmpty ? outcomePace.admits(summary, at: shared.loop.now) : ""
    guard let more else { return }
    shared.logger.info("\(summary) (\(reason))\(more)", metadata: .event(.reload))
    for warning in warnings { shared.logger.warning("\(TerminalText.escape("\(warning)"))") }
  }

  private func logFailure(_ error: WireError, _ round: Round) {
    guard let more = outcomePace.admits("\(error)", at: shared.loop.now) else { return }
    shared.logger.error(
      "\(TerminalText.escape(error.message)) (\(round.reason))\(more)", metadata: .event(.reloadFailed))
    guard case .findings(let findings) = error.detail else { return }
    for finding in findings.prefix(Self.mostLogged) {
      shared.logger.error("\(TerminalText.escape("\(finding)"))", metadata: .event(.reloadFailed))
    }
  }
}

extension Reloads.Reading {
  /// Reads a configuration, and compares it with the one before; it may block.
  ///
  /// `isShared` is true if several requests share the reading.
  fileprivate init(reading source: any ConfigurationSource, after old: SupervisorConfiguration, isShared: Bool) {
    do throws(ConfigurationFault) {
      let (new, warnings) = try source.read()
      let watched = new.watchesInputs ? new.watched.compactMapValues { try? WatchedFiles(of: $0) } : [:]
      self = .success(
        Reloads.Reread(
          configuration: new, warnings: warnings, difference: ConfigurationDifference(from: old, to: new, source.keys),
          repetition: isShared ? ConfigurationDifference(from: new, to: new, source.keys) : nil,
          works: RecordedDeclarations.works(of: new), inputs: new.inputDigests, watched: watched))
    } catch {
      self = .failure(error)
    }
  }
}

extension SupervisorConfiguration {
  /// The files of the inputs of launch initializers, as they are now, without those that can't be read; reading them may block.
  fileprivate var inputDigests: [String: InputDigests] {
    initializers.reduce(into: [:]) { digests, declared in
      guard declared.declaration.priority == .appLaunch, let freshness = declared.declaration.freshness,
        !freshness.inputs.isEmpty
      else { return }
      var hash = SHA256()
      guard let files = try? InputFiles(freshness).hash(into: &hash) else { return }
      digests[declared.declaration.name] = InputDigests(files)
    }
  }
}
