import AppInitializers
import Synchronization

/// The events that a delegate has received, one line each, without durations and run numbers.
final class Transcript: AppInitializerEventsDelegate {
  private let content = Mutex<[String]>([])

  /// All lines so far.
  var lines: [String] { content.withLock { $0 } }

  private func add(_ line: String) { content.withLock { $0.append(line) } }
  private func words(_ run: InitializerRun) -> String {
    "\(run.initializer), attempt \(run.attempt), pass \(run.pass.number) of \(run.pass.phase)"
  }

  func initializerDidStart(_ run: InitializerRun) { add("started: \(words(run))") }
  func initializerDidReport(fraction: Double?, message: String?, of run: InitializerRun) {
    add("reported \(fraction ?? -1) \(message ?? "-"): \(words(run))")
  }
  func initializerDidComplete(_ run: InitializerRun, after duration: Duration) { add("completed: \(words(run))") }
  func initializerDidFail(_ run: InitializerRun, with error: AppInitializationError, after duration: Duration) {
    // Only the error's text is compared, because only the worker's process knows more.
    guard case .initializerFailed(_, let underlying) = error else { return add("failed: \(error)") }
    add("failed with \(underlying): \(words(run))")
  }
  func initializerDidCancel(_ run: InitializerRun, after duration: Duration) { add("cancelled: \(words(run))") }
  func initializerWasNotRun(_ initializer: String, blockedBy blocker: String, with error: AppInitializationError) {
    add("not run: \(initializer), because of \(blocker)")
  }
  func passDidStart(_ pass: InitializationPass) { add("pass \(pass.number) of \(pass.phase) started") }
  func passDidFinish(_ pass: InitializationPass, with outcome: InitializationPass.Outcome) {
    switch outcome {
    case .complete: add("pass \(pass.number) of \(pass.phase) complete")
    case .cancelled: add("pass \(pass.number) of \(pass.phase) cancelled")
    case .failed: add("pass \(pass.number) of \(pass.phase) failed")
    }
  }
}
