/// A phase: its state, and the passes that make it.
struct PhaseRecord: Hashable, Sendable {
  var state: PhaseState = .pending
  /// The newest requested pass: the one that `state` describes.
  var newest: PassID?
  /// The pass in flight.
  ///
  /// `state` is pending while a pass is in flight.
  var pass: Pass?
  /// Requested while `pass` was stopping (S14), or because initializers must run again after it (S26, S27); it starts when that has ended.
  var next: PassID?
  /// Whether `next` executes everything (S4), or only incomplete initializers and those that must run again.
  var isNextEntry = true
  /// The initializers that lose their completion when `next` begins: they run again in it (S26, S27).
  ///
  /// Empty unless there is a `next`.
  var due: Set<String> = []
  /// The initializers that must run again only because their own work was changed (S27).
  ///
  /// A run of one that starts before `next` begins has the new work already, so `next` doesn't run it again.
  var outdated: Set<String> = []
  /// Those of `due` whose run somebody has requested (S26), and whether by their own names.
  var requested: [String: Bool] = [:]
  /// The newest pass that executed everything (S4).
  var entry: PassID?
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
