internal import InitCore
internal import InitRecords
internal import InitServer

/// Everything that runs: commands, probes, workers' runs, the runs that the coordinator decides, the manifest's workers, and the app.
///
/// The component reports to the service manager.
final class Execution: Component {
  let shared: Shared
  let shapes: InitializerShapes
  let commands: CommandRunner
  let probes: Probes
  let conditions: Conditions
  let fingerprints: Fingerprints
  let coordination: Coordination
  let workers: Workers
  let processes: Processes
  let app: AppProcess
  let report: ServiceReport

  init(_ shared: Shared, broadcast: Broadcast, records: Records) {
    self.shared = shared
    coordination = Coordination(shared)
    shapes = InitializerShapes(shared, broadcast: broadcast, records: records, coordination: coordination)
    commands = CommandRunner(shared, records: records, shapes: shapes)
    probes = Probes(shared)
    fingerprints = Fingerprints(shared, launches: records.launches)
    conditions = Conditions(shared, fingerprints: fingerprints, launches: records.launches)
    workers = Workers(shared, broadcast: broadcast, coordination: coordination, passes: records.passes)
    processes = Processes(shared, broadcast: broadcast, records: records, directory: commands.directory)
    report = ServiceReport(shared)
    app = AppProcess(shared, passes: records.passes, report: report)
  }

  /// Starts the manifest's workers, and reports to the service manager from now on.
  func start() {
    commands.prepareDirectory()
    report.startWatchdog()
    processes.start()
  }

  /// Answers the waits that the new states settle.
  func handle(_ record: StateRecord) {
    app.consider(record)
    report.notify(record)
  }

  /// Whether no process runs (the app, the manifest's workers, commands), and no inputs are being read.
  var isIdle: Bool { !app.isRunning && !processes.areRunning && commands.isIdle && fingerprints.isIdle }

  /// Closes everything when the supervisor ends.
  func close() {
    processes.close()
    report.close()
    coordination.close()
  }
}
