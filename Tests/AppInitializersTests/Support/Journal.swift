import InitLocks

@testable import AppInitializers

/// The log of a test, in order, from any thread.
final class Journal<Entry: Sendable>: Sendable {
  private let content = Locked<[Entry]>([])

  var entries: [Entry] { content.withLock { $0 } }

  func note(_ entry: Entry) { content.withLock { $0.append(entry) } }
}
