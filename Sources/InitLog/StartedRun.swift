package import InitCore
package import Logging

/// The process of a command: of a run, or of an initializer's `stop`.
package struct StartedRun {
  /// The run, or the stop, as the machine requested it.
  package let start: RunStart
  /// Whether this is the stop command of its initializer (S24).
  package let isStop: Bool
  package let pid: Int32

  /// Describes a process that has been started for a run or a stop.
  package init(start: RunStart, isStop: Bool, pid: Int32) {
    self.start = start
    self.isStop = isStop
    self.pid = pid
  }

  /// The process's name in the log.
  package var title: String { isStop ? "the stop command of \(start.initializer)" : start.initializer }

  /// Returns the members of a log line about the process.
  ///
  /// A stop doesn't belong to a pass.
  package func members(_ event: Logger.Metadata.EventName, pid: Int32? = nil, pids: [Int32]? = nil) -> Logger.Metadata {
    .event(
      event, initializer: start.initializer, pass: pass, run: start.run, attempt: attempt, pid: pid, pids: pids)
  }

  /// The number of the attempt; nil for a stop.
  package var attempt: Int? { isStop ? nil : start.attempt }

  /// The pass; nil for a stop.
  package var pass: PassID? { isStop ? nil : start.pass }
}
