internal import Synchronization
internal import WebStatus

/// The followed state, shared by the task that follows the supervisor and the requests of HTTP clients.
final class Board: Sendable {
  private struct State {
    var followed = Followed()
    /// The number of changes so far.
    var changes = 0
    /// The JSON of everything that is known, since the last change.
    var json: String?
  }

  private let state = Mutex(State())

  /// Reads the state, or has it compute an answer.
  func with<Value: Sendable>(_ body: (inout Followed) -> Value) -> Value {
    state.withLock { state in body(&state.followed) }
  }

  /// Changes the state.
  func change(_ body: (inout Followed) -> Void) {
    state.withLock { state in
      body(&state.followed)
      state.changes += 1
      state.json = nil
    }
  }

  /// The whole status as JSON: encoded once for each change.
  var statusJSON: String? {
    let (known, changes, document) = state.withLock { state in
      (state.json, state.changes, state.json == nil ? state.followed.document : nil)
    }
    guard let document else { return known }
    guard let json = try? JSONLine.text(document) else { return nil }
    // The text isn't kept if the state has changed in the meantime.
    state.withLock { state in
      if state.changes == changes { state.json = json }
    }
    return json
  }

  /// Returns whether the supervisor has an initializer of that name.
  func declares(_ name: String) -> Bool { with { $0.declares(name) } }
}
