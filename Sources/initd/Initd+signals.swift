import EventLoop
import Glibc
import InitProcesses
import InitSupervisor
import InitText
import Logging
import Platform

extension Initd {
  /// The sources of events, kept until the process ends; used only by the main thread.
  nonisolated(unsafe) static var watched: [AnyObject] = []

  /// Watches every signal that is sent for the supervisor or the app.
  func watchSignals(of supervisor: Supervisor, _ loop: Loop, _ logger: Logger) throws -> [AnyObject] {
    try supervisor.assumeIsolated { try $0.end(on: [SIGTERM, SIGINT]) }
    // These signals are also watched here, because the supervisor stops watching them when it has ended.
    let beyondTheEnd = try [SIGTERM, SIGINT].map { try SignalSource(loop: loop, signal: $0) {} }
    return try watchOthers(of: supervisor, loop, logger) + watchLifecycle(of: supervisor, loop) + beyondTheEnd
  }

  /// Watches all signals that may be meant for the app.
  ///
  /// Without an app, it watches only SIGHUP, which reloads the manifest. While an app runs, that signal is the app's.
  private func watchOthers(of supervisor: Supervisor, _ loop: Loop, _ logger: Logger) throws -> [SignalQueue] {
    let own = [SIGTERM, SIGINT, activateOn?.signal, deactivateOn].compactMap(\.self)
    let others = (app.isEmpty ? [SIGHUP] : ForwardableSignals.all).filter { !own.contains($0) }
    let queue = try SignalQueue(loop: loop, signals: others) { number in
      let isForwarded = supervisor.assumeIsolated { $0.forwardToApp(number) }
      guard !isForwarded else { return }
      let name = SignalName.of(number)
      guard number == SIGHUP else { return logger.info("got \(name); it is ignored") }
      supervisor.assumeIsolated { $0.reload(because: "got \(name)") }
    }
    return [queue]
  }

  private func watchLifecycle(of supervisor: Supervisor, _ loop: Loop) throws -> [AnyObject] {
    var sources: [AnyObject] = []
    switch activateOn {
    case .signal(let number):
      let reason = "got \(SignalName.of(number))"
      sources.append(
        try SignalSource(loop: loop, signal: number) {
          supervisor.assumeIsolated { _ = $0.activate(because: reason) }
        })
    case .wake:
      sources.append(
        WakeSource(loop: loop) { suspended in
          let reason = "the machine was suspended for \(suspended.words)"
          supervisor.assumeIsolated { _ = $0.activate(because: reason) }
        })
    case nil: break
    }
    if let deactivateOn {
      let reason = "got \(SignalName.of(deactivateOn))"
      sources.append(
        try SignalSource(loop: loop, signal: deactivateOn) {
          supervisor.assumeIsolated { $0.deactivate(because: reason) }
        })
    }
    return sources
  }
}
