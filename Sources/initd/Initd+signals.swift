import Glibc
import InitSupervisor
import Libuv
import Logging
import Platform

extension Initd {
  /// Kept for as long as the process lives; touched by the main thread alone.
  nonisolated(unsafe) static var watched: [SignalSource] = []

  /// Watches every signal that means something to the supervisor or the app.
  func watchSignals(of supervisor: Supervisor, _ loop: Loop, _ logger: Logger) throws -> [SignalSource] {
    try supervisor.assumeIsolated { try $0.end(on: [SIGTERM, SIGINT]) }
    // Beside the supervisor, which watches them no longer once it has ended.
    let beyondTheEnd = try [SIGTERM, SIGINT].map { try SignalSource(loop: loop, signal: $0) {} }
    return try watchOthers(of: supervisor, loop, logger) + watchLifecycle(of: supervisor, loop) + beyondTheEnd
  }

  /// Whatever else may be meant for the app; without one SIGHUP alone, which would end us.
  private func watchOthers(of supervisor: Supervisor, _ loop: Loop, _ logger: Logger) throws -> [SignalSource] {
    let own = [SIGTERM, SIGINT, activateOn, deactivateOn].compactMap(\.self)
    let others = app.isEmpty ? [SIGHUP] : ForwardableSignals.all
    let sources = try others.filter { !own.contains($0) }.map { number in
      try SignalSource(loop: loop, signal: number) {
        let isForwarded = supervisor.assumeIsolated { $0.forwardToApp(number) }
        if !isForwarded { logger.info("got \(SignalName.of(number)); it is ignored") }
      }
    }
    ProcessStart.ignoreOwnFileSizeLimit()
    return sources
  }

  private func watchLifecycle(of supervisor: Supervisor, _ loop: Loop) throws -> [SignalSource] {
    var sources: [SignalSource] = []
    if let activateOn {
      let reason = "got \(SignalName.of(activateOn))"
      sources.append(
        try SignalSource(loop: loop, signal: activateOn) {
          supervisor.assumeIsolated { _ = $0.activate(because: reason) }
        })
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
