/// A phase: its state, and the passes that make it.
struct PhaseRecord: Hashable, Sendable {
  var state: PhaseState = .pending
  /// The newest requested pass: the one that `state` describes.
  var newest: PassID?
  /// The pass in flight.
  ///
  /// `state` is pending while there is one.
  var pass: Pass?
  /// Requested while `pass` was stopping; it starts when that has ended (S14).
  var next: PassID?
  /// Requested while `pass` was stopping, and cancelled before they could start; their start and end are published when that has ended.
  var abandoned: [PassID] = []
  /// The progress of the last ended pass.
  var lastTally = Tally()

  init() {}

  /// Whether the newest pass has failed, or is about to.
  var hasFailed: Bool {
    if next != nil { return false }
    switch (pass?.stage, state) {
    case (.failing, _), (nil, .failed): return true
    case (.running, _), (.cancelling, _), (nil, .pending), (nil, .complete): return false
    }
  }

  /// Whether a pass is in flight.
  var hasPass: Bool { if case .some = pass { true } else { false } }

  /// The progress of the newest pass.
  var tally: Tally { pass?.tally ?? lastTally }
}

/// The number of initializers in a pass, and the number that is done.
struct Tally: Hashable, Sendable {
  var done = 0
  var total = 0
}
