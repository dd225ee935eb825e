internal import AppInitializers
internal import Glibc
internal import InitCore
internal import InitModel
internal import InitRecords
internal import InitRunner
internal import InitServer
internal import InitText
internal import InitWire
internal import WireConversions

/// Assembles the Status (protocol §3).
final class StatusSource {
  /// The version of a Status: the number of events, the machine's steps, and the supervisor's warnings.
  struct Version: Equatable {
    let seq: Int
    let step: Int
    let warnings: [String]
    let sources: [Status.Source]
  }

  let shared: SupervisorContext
  private let broadcast: Broadcast
  private let records: Records
  private let execution: Execution
  private let startedAt: Duration

  init(_ shared: SupervisorContext, broadcast: Broadcast, records: Records, execution: Execution) {
    self.shared = shared
    self.broadcast = broadcast
    self.records = records
    self.execution = execution
    startedAt = shared.manager.now
  }

  /// A Status that has only the members that change with time.
  var moment: Status {
    var status = Status()
    status.seq = broadcast.seq
    status.time = shared.time
    status.instance = shared.instance
    status.pid = Int(getpid())
    status.uptime = (shared.manager.now - startedAt).inSeconds
    status.subscribers = broadcast.subscribers
    status.processes = execution.processes.shapes
    return status
  }

  /// The current Status.
  var status: Status {
    var status = statusWithoutInitializers
    status.initializers = initializers
    return status
  }

  /// The current Status as JSON text.
  ///
  /// The text of an unchanged initializer is reused until ``forgetTexts()`` is called.
  var text: StatusText {
    var status = statusWithoutInitializers
    status.initializerTexts = execution.shapes.texts
    return StatusText(status, initializers: { self.initializers })
  }

  /// Frees the memory of the initializers' texts.
  func forgetTexts() { execution.shapes.forgetTexts() }

  private var initializers: [Initializer] {
    shared.read { $0.initializers }.map { execution.shapes.shape(of: $0) }
  }

  private var statusWithoutInitializers: Status {
    let (states, holds, groups) = shared.read { ($0.states, $0.holdCount, $0.placesOfGroups) }
    var status = moment
    status.lifecycle = .known(states.lifecycle)
    status.launch = Status.State(states.launch)
    status.active = Status.State(states.active)
    status.composite = Status.State(states.composite)
    status.holds = holds
    status.fence = shared.fence
    status.concurrency = shared.configuration.machine.concurrency
    status.groups = .all(groups)
    let ports = execution.context.ports.numbers
    status.ports = ports.isEmpty ? nil : ports
    let files = shared.configuration.sourceFiles
    if !files.sources.isEmpty { (status.manifest, status.sources) = (files.manifest, files.sources) }
    if shared.configuration.watchesInputs { status.watch = true }
    status.inFlight = records.passes.inFlight
    status.workers = execution.workers.shapes
    let warnings = warnings
    status.warnings = warnings.isEmpty ? nil : warnings
    return status
  }

  var version: Version {
    Version(
      seq: broadcast.seq, step: shared.access.steps, warnings: warnings,
      sources: shared.configuration.sourceFiles.sources)
  }

  /// The problems of the supervisor itself, one sentence each, as long as they last.
  private var warnings: [String] {
    records.problems.texts + [execution.commands.directoryFault, execution.processes.guardLoss].compactMap(\.self)
  }
}
