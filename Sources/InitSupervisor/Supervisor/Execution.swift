internal import InitCore
internal import InitRecords
internal import InitRunner
internal import InitServer
internal import InitWire

/// Everything that runs: what the runner starts, workers' runs, and the runs that the coordinator decides.
///
/// The component reports to the service manager.
final class Execution {
  let shared: SupervisorContext
  let shapes: InitializerShapes
  let runner: Runner
  let context: RunnerContext
  let conditions: Conditions
  let fingerprints: Fingerprints
  let coordination: Coordination
  let workers: Workers
  let report: ServiceReport

  init(_ shared: SupervisorContext, broadcast: Broadcast, records: Records, owners: ProviderOwners) {
    self.shared = shared
    coordination = Coordination(shared, owner: owners.coordination)
    shapes = InitializerShapes(shared, broadcast: broadcast, records: records, coordination: coordination)
    context = RunnerContext(
      RunnerSettings(shared.configuration), manager: shared.access, loop: shared.loop, logger: shared.logger,
      clock: shared.clock, reports: RunBook(shared, broadcast: broadcast, records: records, shapes: shapes),
      runner: owners.runner)
    context.fence = { [unowned shared] in shared.fence(in: $0) }
    let traces = records.passes.traces
    context.trace = { [unowned shared] run, number in
      if let run { return traces.context(of: run).description }
      // Before launch has begun, its pass is the first one.
      let pass = shared.read { $0.states }.launch.pass ?? 1
      return traces.context(ofProgram: number, in: pass).description
    }
    runner = Runner(context)
    fingerprints = Fingerprints(shared, launches: records.launches)
    conditions = Conditions(
      shared, commands: runner.commands, fingerprints: fingerprints, launches: records.launches)
    workers = Workers(
      shared, broadcast: broadcast, coordination: coordination, passes: records.passes, owner: owners.workers)
    report = ServiceReport(shared)
    runner.app.onStart = { [report] in report.notifyOfApp() }
    runner.app.onRefusal = { [records] in records.passes.explainRefusal($0) }
  }

  var commands: CommandRunner { runner.commands }
  var probes: Probes { runner.probes }
  var processes: Processes { runner.processes }
  var app: AppProcess { runner.app }

  /// Starts the manifest's workers, and reports to the service manager from now on.
  func start() {
    report.startWatchdog()
    runner.start()
  }

  /// Answers the waits that the new states settle.
  func handle(_ record: StateRecord) {
    app.consider(record)
    report.notify(record)
  }

  /// Whether no process runs (the app, the manifest's workers, commands), and no inputs are being read.
  var isIdle: Bool { runner.isIdle && fingerprints.isIdle }

  /// Closes everything when the supervisor ends.
  func close() {
    processes.close()
    context.ports.release()
    report.close()
    coordination.close()
  }
}
