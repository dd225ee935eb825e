internal import InitClient
internal import InitProcesses

extension WorkerRun {
  /// Passes on a command's report; on the loop's thread.
  func report(_ told: StatusNotification) {
    guard !told.isEmpty else { return }
    reportAtOnce(fraction: told.fraction, message: told.message, extend: told.extend)
  }
}
