internal import CHeap
internal import NIOCore
internal import Synchronization
internal import WebStatus

/// The connections of a server, at most a number of them: another one takes the place of the least important one.
///
/// A server that accepts no further connection instead would answer no probe while clients keep theirs.
final class Connections: Sendable {
  /// The time between the end of connections and the end of everything that belongs to them.
  private static let farewell = Duration.seconds(1)

  private struct State {
    var places: Places
    var channels: [Int: any Channel] = [:]
    var last = 0
  }

  private let state: Mutex<State>

  init(limit: Int) { state = Mutex(State(places: Places(limit: limit))) }

  /// Adds a connection, and returns its number; another one is closed if there are too many.
  func enter(_ channel: any Channel) -> Int {
    let (id, victim) = state.withLock { state in
      state.last += 1
      state.channels[state.last] = channel
      return (state.last, state.places.enter(state.last).flatMap { state.channels.removeValue(forKey: $0) })
    }
    victim?.close(promise: nil)
    channel.closeFuture.whenComplete { [self] _ in
      let haveManyLeft = state.withLock { state in
        state.channels[id] = nil
        return state.places.leave(id)
      }
      guard haveManyLeft else { return }
      Task {
        try await Task.sleep(for: Self.farewell)
        initweb_trim_heap()
      }
    }
    return id
  }

  /// Sets the use of a connection.
  func set(_ id: Int, _ use: Places.Use) { state.withLock { $0.places.set(id, use) } }
}
