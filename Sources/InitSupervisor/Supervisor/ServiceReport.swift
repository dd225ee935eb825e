internal import InitCore
internal import InitWire
internal import Libuv
internal import Platform

/// The service manager is told how things are: ready when that is so and not merely up, what goes on, that we end, that we are alive.
final class ServiceReport: Part {
  let core: Core
  private let watchdog: Libuv.Timer
  /// It has been told that we are ready; it is told once.
  private var wasToldReady = false

  init(_ core: Core) {
    self.core = core
    watchdog = Timer(loop: core.loop, name: "watchdog")
  }

  /// The states have changed.
  func tell(_ record: StateRecord) {
    guard let serviceManager = configuration.serviceManager else { return }
    var assignments: [(String, String)] = [("STATUS", TerminalText.escape(Self.words(for: record)))]
    // The app is told of when it has been started.
    if configuration.app == nil, isReadyForServiceManager(record) { assignments.append(contentsOf: ready()) }
    serviceManager.tell(assignments)
  }

  /// The app runs: that is what the service manager waits for.
  func tellOfApp() { configuration.serviceManager?.tell(ready()) }

  /// We end, and why.
  func tellOfEnd(because reason: String) {
    configuration.serviceManager?.tell([
      ("STOPPING", "1"), ("STATUS", TerminalText.escape("shutting down: \(reason)")),
    ])
  }

  /// Tells it that we are alive, as often as it asked for.
  func startWatchdog() {
    guard let interval = configuration.serviceManager?.watchdogInterval else { return }
    configuration.serviceManager?.tell([("WATCHDOG", "1")])
    watchdog.start(after: interval) { [weak self] in self?.startWatchdog() }
  }

  /// Tells it nothing more by itself.
  func close() { watchdog.close() }

  private func ready() -> [(String, String)] {
    guard !wasToldReady else { return [] }
    wasToldReady = true
    return [("READY", "1")]
  }

  /// Where nobody says at the start that the app is active, that launch is complete is all that a service manager can wait for.
  private func isReadyForServiceManager(_ record: StateRecord) -> Bool {
    configuration.activatesAtStart ? record.isReady : record.launch.state == .complete
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
