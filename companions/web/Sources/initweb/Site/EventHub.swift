internal import Foundation
internal import ServiceLifecycle
internal import Synchronization
internal import WebStatus

/// Hands events to the readers of `/api/v1/events`.
///
/// All readers share one ring of texts, and each has only a position in it. Changes wake all readers together, at most every 20 ms.
final class EventHub: Service {
  /// The maximum number of readers at a time; the other connections stay for probes.
  let readerLimit: Int

  /// The time in which changes are collected before the readers are woken.
  private static let pace = Duration.milliseconds(20)
  /// The time after which a reader without news gets a comment, which reveals a lost connection.
  private static let heartbeat = Duration.seconds(10)
  /// How long events are kept for readers that may reconnect.
  private static let patience = Duration.seconds(15)
  /// How long a new reader waits until events tell of initializers.
  private static let liveLimit = Duration.seconds(2)

  fileprivate struct State {
    var ring: EventRing
    var waiting: [CheckedContinuation<Void, Never>] = []
    var readers = 0
    var lastUse: ContinuousClock.Instant?
    var summary: StatusDocument.Summary?
    var isFlushing = false
    var hasEnded = false
    /// Tells `untilUsed` that somebody reads; nil before it waited.
    var awaited: AsyncStream<Void>.Continuation?

    /// Whether somebody reads, or may read again soon.
    var isUsed: Bool { readers > 0 || lastUse.map { .now - $0 < EventHub.patience } ?? false }
  }

  private let board: Board
  private let state: Mutex<State>

  init(board: Board, readerLimit: Int) {
    self.board = board
    self.readerLimit = readerLimit
    state = Mutex(State(ring: EventRing(id: String(UInt64.random(in: .min ... .max), radix: 36))))
  }

  // MARK: Events

  /// Adds an event, if somebody may read it; the value is encoded only then.
  func publish(_ name: String, _ value: @autoclosure () -> some Encodable) {
    guard isUsed else { return changed() }
    guard let json = try? JSONLine.text(value()) else { return }
    state.withLock { $0.ring.add(name, json: json) }
    changed()
  }

  /// Records that the summary may have changed, and wakes the readers soon; if there are none, later readers begin with a snapshot.
  func changed() {
    let starts = state.withLock { state in
      guard state.isUsed else {
        state.ring.skip()
        return false
      }
      defer { state.isFlushing = true }
      return !state.isFlushing && !state.hasEnded
    }
    guard starts else { return }
    Task {
      try? await Task.sleep(for: Self.pace)
      flush()
    }
  }

  private func flush() {
    let summary = board.with { $0.summary }
    let json = try? JSONLine.text(summary)
    let waiting = state.withLock { state in
      state.isFlushing = false
      if summary != state.summary, let json {
        state.summary = summary
        state.ring.add("summary", json: json)
      }
      return state.takeWaiting()
    }
    for each in waiting { each.resume() }
  }

  // MARK: Readers

  /// The position of a page that is made now.
  var position: String {
    state.withLock { state in
      state.use()
      return "\(state.ring.id).\(state.ring.last)"
    }
  }

  /// Takes a place for a reader; returns false if there is none.
  func enter() -> Bool {
    state.withLock { state in
      guard state.readers < readerLimit, !state.hasEnded else { return false }
      state.readers += 1
      state.use()
      return true
    }
  }

  /// Gives a reader's place back.
  func leave() {
    state.withLock { state in
      state.readers -= 1
      state.lastUse = .now
    }
  }

  /// The number of readers.
  var readers: Int { state.withLock(\.readers) }

  /// Whether somebody reads, or may read again soon.
  var isUsed: Bool { state.withLock(\.isUsed) }

  /// Waits until somebody reads.
  func untilUsed() async {
    let (uses, use) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let isUsed = state.withLock { state in
      state.awaited = use
      return state.isUsed
    }
    guard !isUsed else { return }
    for await _ in uses { return }
  }

  /// Waits until nobody has read for a while.
  func untilUnused() async throws {
    while isUsed { try await Task.sleep(for: .seconds(1)) }
  }

  /// Records that somebody reads, and waits until the events include those of initializers: then the known state is up to date.
  func untilLive() async {
    state.withLock { $0.use() }
    let end = ContinuousClock.now + Self.liveLimit
    while board.with({ $0.isAnswering && !$0.isLive }), .now < end, (try? await Task.sleep(for: Self.pace)) != nil {}
  }

  /// Returns the number of a position of this ring; nil if it is of another one.
  func number(_ position: String?) -> Int? { state.withLock { state in position.flatMap { state.ring.position($0) } } }

  /// Returns the next text for a reader, and its new position; nil if there is no news.
  func next(after number: Int?) -> (text: String, number: Int)? {
    switch state.withLock({ $0.ring.next(after: number) }) {
    case .events(let entries):
      guard let last = entries.last else { return nil }
      return (entries.map(\.text).joined(), last.number)
    case .snapshot(let number):
      // A change while the snapshot is made comes again as an event.
      guard let json = board.statusJSON else { return nil }
      return (state.withLock { $0.ring.text("snapshot", json: json, number: number) }, number)
    }
  }

  /// Waits for news after a position, or for a heartbeat; false if the server ends.
  func wait(after number: Int?) async -> Bool {
    await withCheckedContinuation { continuation in
      let isDue = state.withLock { state in
        guard !state.hasEnded, number == state.ring.last else { return true }
        state.waiting.append(continuation)
        return false
      }
      if isDue { continuation.resume() }
    }
    return state.withLock { !$0.hasEnded }
  }

  /// Sends heartbeats until this program ends; then disconnects all readers.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await Task.sleep(for: Self.heartbeat)) != nil {
        for each in self.state.withLock({ $0.takeWaiting() }) { each.resume() }
      }
    }
    let waiting = state.withLock { state in
      state.hasEnded = true
      return state.takeWaiting()
    }
    for each in waiting { each.resume() }
  }
}

extension EventHub.State {
  fileprivate mutating func use() {
    lastUse = .now
    awaited?.yield()
  }

  fileprivate mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
    defer { waiting = [] }
    return waiting
  }
}
