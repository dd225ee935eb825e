internal import AppInitializers
internal import Foundation
internal import InitClient
internal import Passes
internal import WebStatus

extension Picture {
  init(_ status: SupervisorStatus) {
    self.init(
      instance: status.instance, pid: status.pid, states: States(status.states),
      initializers: status.initializers.map(Initializer.init), workers: status.workers.map(ConnectedWorker.init),
      processes: status.processes.map(KeptProcess.init), subscribers: status.subscribers)
  }
}

extension Phase {
  init(_ priority: InitializerPriority) { self = priority == .appLaunch ? .launch : .active }
}

extension PhaseState {
  init(_ state: InitializationState) {
    switch state {
    case .pending: self = .pending
    case .complete: self = .complete
    case .failed(let error): self = .failed("\(error)")
    }
  }
}

extension States {
  init(_ states: SupervisorStates) {
    self.init(
      launch: PhaseState(states.launch), active: PhaseState(states.active), composite: PhaseState(states.composite),
      isActive: states.isActive)
  }
}

extension Initializer {
  init(_ status: InitializerStatus) {
    self.init(
      name: status.name, phase: Phase(status.priority), dependencies: status.dependencies,
      isAvailable: status.isAvailable, isOptional: status.isOptional,
      status: status.activity.word, blockedBy: status.blockedBy,
      run: status.run.map {
        Run(
          number: $0.number, attempt: $0.attempt, pass: $0.pass.number, started: status.started,
          duration: status.duration?.seconds)
      }, fraction: status.fraction, message: status.message, error: status.error.map { "\($0)" })
  }
}

extension InitializerStatus.Activity {
  /// The name of the state in the protocol.
  var word: String {
    switch self {
    case .idle: "idle"
    case .waiting: "waiting"
    case .running: "running"
    case .stopping: "stopping"
    case .complete: "complete"
    case .failed: "failed"
    case .cancelled: "cancelled"
    case .notRun: "notRun"
    case .skipped: "skipped"
    case .other(let word): word
    }
  }
}

extension ConnectedWorker {
  init(_ status: WorkerStatus) { self.init(name: status.name, pid: status.pid, initializers: status.initializers) }
}

extension KeptProcess {
  init(_ status: ProcessStatus) {
    self.init(
      name: status.name, pid: status.pid,
      started: status.uptime.map { Date().timeIntervalSince1970 - $0.seconds }, restarts: status.restarts,
      isGivenUp: status.givenUp, lastExit: status.lastExit.map { "\($0)" }, nextStart: status.nextStart,
      skipped: status.skipped)
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
