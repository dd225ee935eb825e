import InitLocks

@testable import AppInitializers

/// A gate at which runs wait until the test opens it, so no test sleeps.
final class Gate: Sendable {
  private struct Content: Sendable {
    var arrivals = 0
    var isOpen = false
    var tickets = 0
    var left: Set<Int> = []
    var inside: [Int: CheckedContinuation<Bool, Never>] = [:]
    var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    mutating func removeWatchers(upTo count: Int) -> [CheckedContinuation<Void, Never>] {
      defer { watchers.removeAll { $0.count <= count } }
      return watchers.filter { $0.count <= count }.map(\.continuation)
    }
  }

  private let content = Locked(Content())

  /// How many have arrived so far.
  var arrivals: Int { content.withLock { $0.arrivals } }

  /// Arrives, and waits until the gate is open, even if the task is cancelled.
  func enter() async { _ = await wait(ticket()) }

  /// Arrives, and waits until the gate is open or the task is cancelled, which it throws.
  func enterOrStop() async throws {
    let ticket = ticket()
    let isLetIn = await withTaskCancellationHandler {
      await wait(ticket)
    } onCancel: {
      leave(ticket)
    }
    if !isLetIn { throw CancellationError() }
  }

  /// Waits until this many have arrived since the beginning.
  func arrived(_ count: Int = 1) async {
    await withCheckedContinuation { continuation in
      let isThere = content.withLock { content in
        if content.arrivals < count { content.watchers.append((count, continuation)) }
        return content.arrivals >= count
      }
      if isThere { continuation.resume() }
    }
  }

  /// Opens the gate for all, from now on.
  func open() {
    let inside = content.withLock { content in
      content.isOpen = true
      defer { content.inside = [:] }
      return content.inside.values
    }
    for continuation in inside { continuation.resume(returning: true) }
  }

  private func ticket() -> Int {
    content.withLock { content in
      content.tickets += 1
      return content.tickets
    }
  }

  private func wait(_ ticket: Int) async -> Bool {
    await withCheckedContinuation { continuation in
      let (watchers, isLetIn): (_, Bool?) = content.withLock { content in
        content.arrivals += 1
        let watchers = content.removeWatchers(upTo: content.arrivals)
        if content.left.contains(ticket) { return (watchers, false) }
        if content.isOpen { return (watchers, true) }
        content.inside[ticket] = continuation
        return (watchers, nil)
      }
      for watcher in watchers { watcher.resume() }
      if let isLetIn { continuation.resume(returning: isLetIn) }
    }
  }

  private func leave(_ ticket: Int) {
    let waiting = content.withLock { content in
      content.left.insert(ticket)
      return content.inside.removeValue(forKey: ticket)
    }
    waiting?.resume(returning: false)
  }
}
