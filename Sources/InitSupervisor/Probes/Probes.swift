internal import AppInitializers
internal import EventLoop
internal import InitCore

/// Executes the runs of initializers that wait for something outside of the supervisor (S31): no process is started.
final class Probes: Component {
  /// A run that waits.
  private struct Waiting {
    let probe: ProbeRun
    let resume: () -> Void
  }

  let shared: Shared
  private var waiting: [RunID: Waiting] = [:]

  init(_ shared: Shared) { self.shared = shared }

  /// Waits until the probe holds.
  ///
  /// Each failure that differs from the one before is the run's progress message. `supervisor` is the actor that has this.
  func run(_ probe: Probe, _ context: RunContext, on supervisor: isolated Supervisor) async throws {
    try Task.checkCancellation()
    let run = context.start.run
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let tries = ProbeRun(
          probe, loop: loop,
          onFailure: { failure, count in
            context.manager?.assumeIsolated { $0.report(run: run, failure: failure, tries: count) }
          },
          onComplete: { [weak self] in self?.end(run) })
        waiting[run] = Waiting(probe: tries) { continuation.resume() }
        tries.start()
      }
    } onCancel: {
      supervisor.loop.perform { supervisor.assumeIsolated { $0.execution.probes.end(run) } }
    }
    try Task.checkCancellation()
  }

  private func end(_ run: RunID) {
    guard let ended = waiting.removeValue(forKey: run) else { return }
    ended.probe.close()
    ended.resume()
  }
}
