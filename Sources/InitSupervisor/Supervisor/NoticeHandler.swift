internal import InitCore
internal import InitWire

/// Passes the machine's decisions to the parts of a supervisor, each notice in the step that made it.
///
/// The manager has it as its observer. Like the parts, it is used on the loop's thread only.
final class NoticeHandler: Part, @unchecked Sendable {
  /// The parts that notices concern.
  struct Parts {
    let app: AppProcess
    let broadcast: Broadcast
    let coordination: Coordination
    let idleMemory: IdleMemory
    let log: SupervisorLog
    let memory: Memory
    let passes: PassBook
    let report: ServiceReport
    let waits: Waits
  }

  let core: Core
  private let parts: Parts

  init(_ core: Core, to parts: Parts) { (self.core, self.parts) = (core, parts) }

  /// Handles a notice.
  func take(_ notice: Notice, at now: Instant) {
    parts.log.note(notice, ending: parts.passes.note(notice, at: now))
    switch notice {
    case .state(let record, let changed):
      parts.broadcast.publish(.state(StateEvent(record, changed: changed)), topics: changed.lazy.map(Topic.init))
      parts.waits.answer(record)
      parts.app.consider(record)
      parts.report.tell(record)
    case .initializer(let snapshot):
      publish(snapshot)
      parts.waits.answer(snapshot)
    case .initializerRemoved(let snapshot):
      publish(.initializerRemoved(InitializerShape(snapshot, clock: core.clock)))
      parts.waits.refuse(for: snapshot.declaration.name)
    case .passOpened: break
    case .passAbandoned(let pass):
      parts.waits.answer(pass: pass, StateShape(StateShape.Name.cancelled, pass: pass.rawValue))
    case .pass(let pass, let phase, let status):
      parts.broadcast.publish(.pass(PassEvent(pass, phase, status)), topics: CollectionOfOne(.pass))
      if let state = StateShape(status, pass: pass.rawValue) {
        parts.waits.answer(pass: pass, state)
        parts.idleMemory.passEnded()
      }
    case .runEnded(let run):
      parts.memory.remember(run)
      parts.coordination.noteEnd(of: run)
      parts.waits.answerIfQuiet()
    }
  }

  /// Returns the shape of an initializer, as clients see it.
  func shape(of snapshot: InitializerSnapshot) -> InitializerShape {
    var shape = parts.memory.explained(parts.coordination.shape(of: snapshot))
    parts.log.processes.complete(&shape, grace: configuration.machine.cancelGrace)
    return shape
  }

  /// Sends the shape of an initializer to the subscribers.
  func publish(_ snapshot: InitializerSnapshot) { publish(.initializer(shape(of: snapshot))) }

  private func publish(_ body: @autoclosure () -> EventBody) {
    parts.broadcast.publish(body(), topics: CollectionOfOne(.initializer))
  }
}
