import InitCore

/// The events of passes and states that observers have received, as short texts.
final class Told: Sendable {
  private let journal = Journal<String>()

  var words: [String] { journal.entries }

  func note(_ notice: Notice, _: Instant) {
    switch notice {
    case .pass(let number, let phase, let status): journal.note("\(phase) \(number) \(Self.word(status))")
    case .state(let record, _):
      journal.note("state \(Self.word(record.launch.state)) \(Self.word(record.active.state)) \(record.lifecycle)")
    case .initializer, .initializerRemoved, .passOpened, .passAbandoned, .runEnded: break
    }
  }

  /// The lines about passes alone.
  var passes: [String] { words.filter { !$0.hasPrefix("state") } }

  private static func word(_ status: PassStatus) -> String {
    switch status {
    case .started: "started"
    case .complete: "complete"
    case .failed: "failed"
    case .cancelled: "cancelled"
    }
  }

  private static func word(_ state: PhaseState) -> String {
    switch state {
    case .pending: "pending"
    case .complete: "complete"
    case .failed: "failed"
    }
  }
}
