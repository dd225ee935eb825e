internal import EventLoop
internal import InitCore
internal import InitModel
internal import InitRecords
internal import InitRunner
internal import InitServer
internal import InitWords
internal import Logging
internal import WireConversions

extension Supervisor {
  /// Handles a decision of the machine, in the step that made it.
  func handle(_ notice: Notice, at now: Instant) {
    records.handle(notice, at: now)
    switch notice {
    case .state(let record, let changed):
      if !changed.isEmpty {
        broadcast.publish(
          .state(Status.Event.StateChange(record, changed: changed, fence: shared.fence)),
          to: Topics(changed.map(Topic.init)))
      }
      clients.waits.answer(record)
      execution.handle(record)
    case .initializer(let snapshot):
      execution.shapes.publish(snapshot)
      clients.waits.answer(snapshot)
      switch snapshot.status {
      case .complete, .skipped:
        execution.processes.recordCompletion(of: snapshot.declaration.name)
        execution.processes.recordDecision()
      case .idle, .failed, .cancelled, .notRun: execution.processes.recordDecision()
      case .waiting, .running, .stopping: break
      }
    case .initializerRemoved(let snapshot):
      execution.shapes.publishRemoval(of: snapshot)
      clients.waits.refuse(for: snapshot.declaration.name)
    case .passOpened: break
    case .passAbandoned(let pass):
      clients.waits.answer(pass: pass, Status.State(Status.State.Name.cancelled, pass: pass.rawValue))
    case .pass(let pass, let phase, let status):
      broadcast.publish(.pass(Status.Event.PassChange(pass, phase, status)), to: Topics(.pass))
      if let state = Status.State(status, pass: pass.rawValue) {
        adviseAfter(state, of: phase)
        clients.passEnded(pass, state)
        execution.processes.recordDecision()
        execution.processes.recordPassEnd()
        execution.conditions.endUnawaited()
      }
    case .runEnded(let run):
      execution.coordination.recordEnd(of: run)
      clients.waits.answerIfQuiet()
      clients.waits.answerIfStopped()
    }
  }

  /// Says what to do after a launch that has failed, to a person who reads the log.
  private func adviseAfter(_ state: Status.State, of phase: Phase) {
    guard configuration.advisesAfterFailure, configuration.app == nil, phase == .launch, state.state == .failed else {
      return
    }
    // The lines about the failure come first.
    loop.later { [shared] in
      let edit = shared.configuration.source.map { "edit \($0.name), then initctl up; or " } ?? ""
      shared.logger.info("launch has failed: initctl why explains it; \(edit)try again with initctl launch")
    }
  }
}
