internal import EventLoop
internal import InitCore
internal import InitText
internal import InitWords
internal import Platform

/// Reports to the service manager (sd_notify): readiness, status, the end, and the watchdog's keep-alive.
final class ServiceReport {
  let shared: SupervisorContext
  private let watchdog: EventLoop.Timer
  /// Whether READY=1 was sent; it is sent once.
  private var wasReadySent = false
  /// Whether the app is active from the start; a reload doesn't change that.
  private let activatesAtStart: Bool

  init(_ shared: SupervisorContext) {
    self.shared = shared
    activatesAtStart = shared.configuration.activatesAtStart
    watchdog = Timer(loop: shared.loop, name: "watchdog")
  }

  /// Answers the waits that the new states settle.
  func notify(_ record: StateRecord) {
    guard let serviceManager = shared.configuration.serviceManager else { return }
    var assignments: [(String, String)] = [("STATUS", TerminalText.escape(Self.words(for: record)))]
    // With an app, readiness is reported when the app has been started.
    if shared.configuration.app == nil, isReadyForServiceManager(record) { assignments.append(contentsOf: ready()) }
    serviceManager.notify(assignments)
  }

  /// Tells the service manager that the app has been started: it waits for that.
  func notifyOfApp() { shared.configuration.serviceManager?.notify(ready()) }

  /// Tells the service manager that the supervisor is ending, for this reason.
  func notifyOfEnd(because reason: String) {
    shared.configuration.serviceManager?.notify([
      ("STOPPING", "1"), ("STATUS", TerminalText.escape("shutting down: \(reason)")),
    ])
  }

  /// Tells the service manager that a reload begins, once it counts the service as started.
  ///
  /// The notification also contains its time: the service manager waits for the READY=1 that follows.
  func notifyOfReload() {
    guard wasReadySent else { return }
    let (seconds, attoseconds) = shared.loop.now.components
    let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    shared.configuration.serviceManager?.notify([
      ("RELOADING", "1"), ("MONOTONIC_USEC", "\(microseconds)"), ("STATUS", "reloading"),
    ])
  }

  /// Tells the service manager that the reload is over, even if it has failed.
  func notifyOfReloadEnd() {
    guard wasReadySent else { return }
    let words = Self.words(for: shared.read { $0.states })
    shared.configuration.serviceManager?.notify([("READY", "1"), ("STATUS", TerminalText.escape(words))])
  }

  /// Sends the watchdog's keep-alive at the interval that the service manager requests.
  func startWatchdog() {
    guard let interval = shared.configuration.serviceManager?.watchdogInterval else { return }
    shared.configuration.serviceManager?.notify([("WATCHDOG", "1")])
    watchdog.start(after: interval) { [weak self] in self?.startWatchdog() }
  }

  /// Stops the keep-alive.
  func close() { watchdog.close() }

  private func ready() -> [(String, String)] {
    guard !wasReadySent else { return [] }
    wasReadySent = true
    return [("READY", "1")]
  }

  /// Returns whether the service manager's wait is over.
  ///
  /// If the app isn't active from the start, the service manager can only wait until launch is complete.
  private func isReadyForServiceManager(_ record: StateRecord) -> Bool {
    activatesAtStart ? record.isReady : record.launch.state == .complete
  }

  private static func words(for record: StateRecord) -> String {
    if record.isReady { return "ready" }
    switch (record.launch.state, record.active.state) {
    case (.failed(let failure), _): return "launch failed: \(failure)"
    case (_, .failed(let failure)): return "activation failed: \(failure)"
    case (.pending, _): return record.launch.pass == nil ? "waiting to be launched" : "launching"
    case (.complete, .pending): return record.lifecycle == .active ? "activating" : "launched, not active"
    case (.complete, .complete): return "launched, not active"
    }
  }
}
