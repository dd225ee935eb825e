internal import InitCore
internal import InitLog
internal import InitModel
internal import InitRecords
internal import InitRunner
internal import InitServer
internal import Logging

/// Enters what the runner reports in the records, and sends it to the subscribers.
final class RunBook: RunReports {
  private let shared: SupervisorContext
  private let broadcast: Broadcast
  private let records: Records
  private let shapes: InitializerShapes

  init(_ shared: SupervisorContext, broadcast: Broadcast, records: Records, shapes: InitializerShapes) {
    self.shared = shared
    self.broadcast = broadcast
    self.records = records
    self.shapes = shapes
  }

  /// Also publishes the initializer, whose shape contains the process.
  func started(_ run: StartedRun) {
    records.log.recordStart(of: run)
    if !run.isStop { shapes.publish(run.start.initializer) }
  }

  func killed(_ run: StartedRun) { records.log.recordKill(of: run) }
  func used(cpu: Duration, by run: RunID) { records.passes.record(cpu: cpu, ofRun: run) }
  func stopping(_ initializer: String) { records.launches.recordStop(of: initializer) }

  func stopped(_ stop: RunStart, _ failure: (any Error)?, isLate: Bool) {
    records.log.recordStopEnd(stop, failure, isLate: isLate)
  }

  func wrote(
    _ line: [UInt8], of name: String, run: Int, attempt: Int?, pass: PassID?, _ stream: OutputName, isShown: Bool,
    _ members: @autoclosure () -> Logger.Metadata
  ) {
    records.log.keep(line, of: name, run: run, attempt: attempt, pass: pass, stream, isShown: isShown, members())
  }

  func ended(process name: String, start: Int, _ end: OutcomeName) {
    records.log.recordEnd(ofProcess: name, start: start, end)
  }

  func changed(_ process: Status.Process) { broadcast.publish(.process(process), to: Topics(.worker)) }

  func removed(_ process: Status.Process) {
    broadcast.publish(.processRemoved(process), to: Topics(.worker))
    records.log.forgetFailure(of: process.name)
  }
}
