package import InitCore
package import InitLog
package import InitModel
package import Logging

/// Gets what a runner reports of commands and processes, on the loop's thread.
package protocol RunReports: AnyObject {
  /// A command has started.
  func started(_ run: StartedRun)
  /// A command is killed, because it didn't exit in time.
  func killed(_ run: StartedRun)
  /// A run is about to end; it used this much CPU time.
  func used(cpu: Duration, by run: RunID)
  /// The stop command of an initializer is about to start.
  func stopping(_ initializer: String)
  /// A stop command has ended, with failure if one is given; late if it took longer than `stopTimeout`.
  func stopped(_ stop: RunStart, _ failure: (any Error)?, isLate: Bool)
  /// A command or a process has written a line, which goes to the log if `isShown`.
  func wrote(
    _ line: [UInt8], of name: String, run: Int, attempt: Int?, pass: PassID?, _ stream: OutputName, isShown: Bool,
    _ members: @autoclosure () -> Logger.Metadata)
  /// The start of a process with this number has ended.
  func ended(process name: String, start: Int, _ end: OutcomeName)
  /// A process has changed.
  func changed(_ process: Status.Process)
  /// A process is no longer declared.
  func removed(_ process: Status.Process)
}
