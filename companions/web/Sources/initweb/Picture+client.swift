internal import Foundation
internal import InitModel
internal import InitWords
internal import Passes
internal import WebStatus

extension Picture {
  init(_ status: Status) {
    self.init(
      instance: status.instance, pid: status.pid, states: States(status),
      initializers: status.initializers.map(WebStatus.Initializer.init),
      workers: status.workers.map(ConnectedWorker.init),
      processes: (status.processes ?? []).map(KeptProcess.init), subscribers: status.subscribers)
  }
}

extension Passes.Phase {
  init(_ phase: Word<InitWords.Phase>) { self = phase == .active ? .active : .launch }
  init(_ priority: Word<Priority>) { self = priority == .appActive ? .active : .launch }
}

extension PhaseState {
  init(_ state: Status.State) {
    switch (state.state.known, state.error) {
    case (.complete, _): self = .complete
    case (.failed, let error?): self = .failed(error.message)
    default: self = .pending
    }
  }
}

extension States {
  init(_ status: Status) {
    self.init(
      launch: PhaseState(status.launch), active: PhaseState(status.active), composite: PhaseState(status.composite),
      isActive: status.isActive)
  }

  init(_ change: Status.Event.StateChange) {
    self.init(
      launch: PhaseState(change.launch), active: PhaseState(change.active), composite: PhaseState(change.composite),
      isActive: change.lifecycle == .active)
  }
}

extension WebStatus.Initializer {
  init(_ initializer: InitModel.Initializer) {
    self.init(
      name: initializer.name, phase: Phase(initializer.priority), dependencies: initializer.dependencies,
      isAvailable: initializer.available, isOptional: initializer.optional == true,
      status: initializer.status.rawValue, blockedBy: initializer.blockedBy,
      run: initializer.run.map {
        Run(
          number: $0, attempt: initializer.attempt ?? 1, pass: initializer.pass ?? 0, started: initializer.started,
          duration: initializer.duration)
      }, fraction: initializer.progress?.fraction, message: initializer.progress?.message,
      error: initializer.error?.message)
  }
}

extension ConnectedWorker {
  init(_ worker: Status.Worker) { self.init(name: worker.client, pid: worker.pid, initializers: worker.initializers) }
}

extension KeptProcess {
  init(_ process: Status.Process) {
    self.init(
      name: process.name, pid: process.pid,
      started: process.uptime.map { Date().timeIntervalSince1970 - $0 }, restarts: process.restarts,
      isGivenUp: process.givenUp, lastExit: process.lastExit.map { "\($0)" }, nextStart: process.nextStart,
      skipped: process.skipped?.message, isUnhealthy: process.unhealthy == true, note: Self.note(process))
  }
}

extension KeptProcess {
  /// What a person has done with a process, or why it is unhealthy.
  private static func note(_ process: Status.Process) -> String? {
    if process.unhealthy == true { return "unhealthy: \(process.failure ?? "its checks fail")" }
    if process.external == true { return process.answers == true ? "run by hand" : "run by hand, and nobody answers" }
    return process.stoppedBy.map { "stopped by \($0)" }
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
