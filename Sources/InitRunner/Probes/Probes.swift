internal import AppInitializers
internal import EventLoop
internal import InitCore
internal import InitDeclarations
internal import InitWords
internal import Logging

/// Executes the runs of initializers that wait for something outside of the supervisor (S31): no process is started.
package final class Probes {
  /// A run that waits.
  private struct Waiting {
    let context: RunContext
    var probe: Probe
    var tries: ProbeRun
    let resume: () -> Void
  }

  private let shared: RunnerContext
  private var waiting: [RunID: Waiting] = [:]

  init(_ shared: RunnerContext) { self.shared = shared }

  /// Waits until the probe holds.
  ///
  /// Runs the tries of a probe; a failure that differs from the one before becomes the run's progress message. `isolation` is that of the
  /// loop.
  func run(_ probe: Probe, _ context: RunContext, on isolation: isolated LoopActor) async throws {
    try Task.checkCancellation()
    let run = context.start.run
    let runner = shared.runner
    let tries = try tries(probe, context)
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiting[run] = Waiting(context: context, probe: probe, tries: tries) { continuation.resume() }
        tries.start()
      }
    } onCancel: {
      runner.perform { $0.probes.end(run) }
    }
    try Task.checkCancellation()
  }

  private func tries(_ probe: Probe, _ context: RunContext) throws(Cause) -> ProbeRun {
    let run = context.start.run
    let values = shared.values(context.inputs, of: probe.references, for: context.initializer)
    return ProbeRun(
      try values.probe(probe), loop: shared.loop,
      onFailure: { failure, count in
        context.manager?.assumeIsolated { $0.report(run: run, failure: failure, tries: count) }
      }, onComplete: { [weak self] in self?.end(run) })
  }

  private func end(_ run: RunID) {
    guard let ended = waiting.removeValue(forKey: run) else { return }
    ended.tries.close()
    ended.resume()
  }

  // MARK: Reloads (S27)

  /// The initializers with a run that waits.
  package var initializers: Set<String> { Set(waiting.values.map(\.context.initializer)) }

  /// Replaces the probe in the runs of initializers whose probe has changed; the runs continue.
  package func reload(_ changed: Set<String>) {
    let initializers = initializers.intersection(changed)
    guard !initializers.isEmpty else { return }
    for declared in shared.settings.initializers where initializers.contains(declared.declaration.name) {
      guard let probe = declared.probe else { continue }
      for (run, old) in waiting where old.context.initializer == declared.declaration.name && old.probe != probe {
        let tries: ProbeRun
        do throws(Cause) {
          tries = try self.tries(probe, old.context)
        } catch {
          shared.logger.warning("\(old.context.initializer) goes on with its old waitFor: \(error)")
          continue
        }
        old.tries.close()
        waiting[run]?.probe = probe
        waiting[run]?.tries = tries
        tries.start()
      }
    }
  }
}
