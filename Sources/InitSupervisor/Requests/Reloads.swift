internal import AppInitializers
internal import DequeModule
internal import EventLoop
internal import InitCore
internal import InitText
internal import InitWire
internal import InitWords
internal import Logging
internal import Platform

/// Reads the configuration again, compares it with the previous one, and applies the differences in one step of the machine (S27).
///
/// A configuration that has a mistake, or can't be read, changes nothing. It is read on a thread of its own, because a file may block.
/// Requests are handled one after another, and each reads again.
final class Reloads: Component {
  /// Called with the outcome of a request.
  typealias Answer = (Result<ReloadResult, WireError>) -> Void

  private struct Demand {
    let params: ReloadParams
    let reason: String
    let answer: Answer
  }

  /// The outcome of reading.
  fileprivate typealias Reading = Result<(SupervisorConfiguration, warnings: [FindingShape]), ConfigurationFault>

  /// How many requests may wait.
  private static let mostWaiting = 16
  /// How many mistakes an answer lists, and the log.
  private static let mostFindings = 100
  private static let mostLogged = 10

  let shared: Shared
  private let records: Records
  private let execution: Execution
  private let connections: Connections
  private let holds: LeasedHolds
  /// The requests; the first one's reading is under way.
  private var demands: Deque<Demand> = []

  init(_ shared: Shared, records: Records, execution: Execution, connections: Connections, holds: LeasedHolds) {
    self.shared = shared
    self.records = records
    self.execution = execution
    self.connections = connections
    self.holds = holds
  }

  /// Reloads; `answer` is called once, perhaps later.
  func reload(_ params: ReloadParams, because reason: String, then answer: @escaping Answer) {
    guard let source = configuration.source else {
      return refuse(
        WireError(
          .invalidRequest,
          "cannot reload: initd was started without a manifest; start it with --config FILE, or have workers register again"
        ), reason, answer)
    }
    guard !shared.isEnding else { return answer(.failure(WireError(Refusal.shuttingDown))) }
    guard demands.count < Self.mostWaiting else {
      return refuse(
        WireError(
          .limitExceeded, "cannot reload: \(demands.count) reloads wait already; try again later",
          detail: .limit("reloads")), reason, answer)
    }
    demands.append(Demand(params: params, reason: reason, answer: answer))
    if demands.count == 1 { read(source) }
  }

  private func refuse(_ error: WireError, _ reason: String, _ answer: Answer) {
    logger.warning("\(error.message) (\(reason))", metadata: .event(.reloadFailed))
    answer(.failure(error))
  }

  private func read(_ source: any ConfigurationSource) {
    if demands.first?.params.dryRun == false { execution.report.notifyOfReload() }
    let owner = shared.owner
    do throws(SystemError) {
      try PlatformThread.start(name: "reload") {
        let reading = Reading(reading: source)
        owner.loop.perform { owner.supervisor?.assumeIsolated { $0.clients.reloads.finish(reading) } }
      }
    } catch {
      finish(.failure(.unreadable("cannot read \(source.name): \(error)")))
    }
  }

  fileprivate func finish(_ reading: Reading) {
    guard let demand = demands.popFirst() else { return }
    let outcome = outcome(of: demand, reading)
    if case .failure(let error) = outcome, !demand.params.dryRun { logFailure(error, demand) }
    if !demand.params.dryRun { execution.report.notifyOfReloadEnd() }
    demand.answer(outcome)
    if !demands.isEmpty, let source = configuration.source { read(source) }
  }

  private func outcome(of demand: Demand, _ reading: Reading) -> Result<ReloadResult, WireError> {
    Result { () throws(WireError) in
      guard !shared.isEnding else { throw WireError(Refusal.shuttingDown) }
      let (new, warnings) = try configuration(from: reading)
      try check(new)
      var difference = ConfigurationDifference(from: configuration, to: new)
      difference.checkAgain(skippedByCondition)
      if !demand.params.dryRun { try apply(difference, new, demand) }
      for warning in warnings where !demand.params.dryRun { logger.warning("\(TerminalText.escape("\(warning)"))") }
      var result = difference.result
      if !warnings.isEmpty { result.warnings = Array(warnings.prefix(Self.mostFindings)) }
      return result
    }
  }

  private var skippedByCondition: Set<String> {
    shared.read { machine in
      Set(
        machine.initializers.lazy.filter { if case .condition? = $0.skipReason { true } else { false } }
          .map(\.declaration.name))
    }
  }

  private func configuration(
    from reading: Reading
  ) throws(WireError) -> (SupervisorConfiguration, warnings: [FindingShape]) {
    switch reading {
    case .success(let read): return read
    case .failure(.unreadable(let why)):
      throw WireError(.unreadableManifest, "cannot reload, so nothing has changed: \(why)")
    case .failure(.invalid(let findings)): throw mistakes(findings)
    }
  }

  private func mistakes(_ findings: [FindingShape]) -> WireError {
    let name = configuration.source?.name ?? "the configuration"
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
      let file = configuration.source?.name ?? ""
      throw mistakes([
        FindingShape(file: file, line: 1, column: 1, severity: .error, message: error.problem, suggestion: error.remedy)
      ])
    }
    let known = shared.read { $0.initializerCount }
    guard known - configuration.initializers.count + new.initializers.count <= limits.initializers else {
      throw WireError(
        .limitExceeded,
        "cannot reload: there would be more than \(limits.initializers) initializers; remove some, or raise --limit initializers",
        detail: .limit("initializers"))
    }
  }

  /// Applies the differences in one step of the machine, except to kept processes, which stop and start one after another.
  private func apply(
    _ difference: ConfigurationDifference, _ new: SupervisorConfiguration, _ demand: Demand
  ) throws(WireError) {
    let old = configuration
    let parts = difference.initializers
    let corrected = difference.corrected(among: execution.probes.initializers)
    adopt(new)
    let changed = parts.changed.filter(\.isWork).map(\.name)
    let outdated = records.launches.runs(of: changed)
    do throws(Refusal) {
      logger.info("\(summary(of: difference)) (\(demand.reason))", metadata: .event(.reload))
      try shared.reload(
        machineReload(difference, from: old, corrected, withDependents: demand.params.withDependents),
        providers: providers(of: parts))
    } catch {
      adopt(old)
      execution.shapes.reload()
      throw execution.workers.refusal(ofReload: error)
    }
    execution.shapes.reload()
    execution.probes.reload(Set(changed))
    records.launches.recordChange(of: changed, outdating: outdated)
    records.launches.forget(parts.removed)
    let secrets = Set(new.initializers.lazy.filter(\.isSecret).map(\.declaration.name))
    records.launches.recordSecrecy(of: parts.changed.map(\.name).filter(secrets.contains))
    let ofWorkers = Set(new.initializers.lazy.filter { $0.kind == .worker }.map(\.declaration.name))
    execution.workers.forget(Set(parts.removed).union(changed.filter { !ofWorkers.contains($0) }))
    execution.processes.reload(difference.processes)
    // What the supervisor needs for itself may differ.
    if !difference.processes.isEmpty || difference.settings.contains("concurrency") { connections.reload() }
  }

  /// Gives the configuration to the components, which keep some of it in another form.
  private func adopt(_ new: SupervisorConfiguration) {
    shared.adopt(new)
    execution.shapes.reload(keepsOld: true)
    execution.coordination.reload()
    execution.workers.reload()
    records.passes.reload()
    records.launches.reload()
    holds.reload()
  }

  private func machineReload(
    _ difference: ConfigurationDifference, from old: SupervisorConfiguration, _ corrected: Set<String>,
    withDependents: Bool
  ) -> Reload {
    let parts = difference.initializers
    let declared = Dictionary(configuration.initializers.map { ($0.declaration.name, $0) }) { first, _ in first }
    let hasSame = difference.settings.isEmpty && old.machine.only == configuration.machine.only
    return Reload(
      added: parts.added.compactMap { declared[$0] }.map { Reload.Addition($0.declarationOfWork, $0.kind) },
      changed: parts.changed.compactMap { change in
        declared[change.name].map {
          Reload.Change(
            $0.declarationOfWork, $0.kind, isOfWork: change.isWork && !corrected.contains(change.name))
        }
      },
      removed: parts.removed,
      settings: hasSame ? nil : Reload.Settings(configuration.machine),
      withDependents: withDependents)
  }

  private func providers(of parts: ConfigurationDifference.Parts) -> [String: (any InitializerProvider)?] {
    let names = Set(parts.added).union(parts.changed.map(\.name))
    return configuration.initializers.reduce(into: [:]) { providers, declared in
      let name = declared.declaration.name
      guard names.contains(name) else { return }
      providers.updateValue(declared.provider(of: shared.owner, in: configuration.environment), forKey: name)
    }
  }

  // MARK: The log

  private func summary(of difference: ConfigurationDifference) -> String {
    let name = configuration.source?.name ?? "the configuration"
    guard !difference.isEmpty else { return "reloading \(name): nothing has changed" }
    let result = difference.result
    let texts = [
      ("added", result.added), ("changed", result.changed.map(\.words)), ("removed", result.removed),
      ("from the next run on", (result.fromNextRun ?? []).map(\.words)), ("settings", result.settings ?? []),
    ].filter { !$0.1.isEmpty }.map { "\($0): \(Warnings.shown($1))" }
    return "reloading \(name): \((texts + ["\(result.unchanged) unchanged"]).joined(separator: "; "))"
  }

  private func logFailure(_ error: WireError, _ demand: Demand) {
    logger.error("\(TerminalText.escape(error.message)) (\(demand.reason))", metadata: .event(.reloadFailed))
    guard case .findings(let findings) = error.detail else { return }
    for finding in findings.prefix(Self.mostLogged) {
      logger.error("\(TerminalText.escape("\(finding)"))", metadata: .event(.reloadFailed))
    }
  }
}

extension Reloads.Reading {
  /// Reads a configuration; it may block.
  fileprivate init(reading source: any ConfigurationSource) {
    do throws(ConfigurationFault) { self = .success(try source.read()) } catch { self = .failure(error) }
  }
}
