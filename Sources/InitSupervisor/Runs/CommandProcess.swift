internal import InitCore
internal import Logging

/// The process of a command: of a run, or of an initializer's `stop`.
struct CommandProcess {
  /// The run, or the stop, as the machine requested it.
  let start: RunStart
  /// Whether this is the stop command of its initializer (S24).
  let isStop: Bool
  let pid: Int32

  /// The process's name in the log.
  var title: String { isStop ? "the stop command of \(start.initializer)" : start.initializer }

  /// Returns the members of a log line about the process.
  ///
  /// A stop doesn't belong to a pass.
  func members(_ event: Logger.Metadata.EventName, pid: Int32? = nil, pids: [Int32]? = nil) -> Logger.Metadata {
    .event(
      event, initializer: start.initializer, pass: pass, run: start.run, attempt: attempt,
      pid: pid,
      pids: pids)
  }

  /// The number of the attempt; nil for a stop.
  var attempt: Int? { isStop ? nil : start.attempt }

  /// The pass; nil for a stop.
  var pass: PassID? { isStop ? nil : start.pass }
}
