internal import Foundation
internal import Logging
internal import PassStore
internal import Passes
internal import ServiceLifecycle
internal import Synchronization
internal import WebStatus

/// The history of this server: passes wait here until they are stored.
///
/// If the file can't be used, the other services continue. It is tried again, and the passes wait; the log says so once.
final class History: Service {
  /// The pauses between two tries after a failure.
  private static let pauses = Duration.seconds(1)...Duration.seconds(30)
  /// How often old passes are deleted if no new passes come.
  private static let sweep = Duration.seconds(3600)

  private struct State {
    var backlog = PassBacklog()
    var store: PassStore?
    var failure: String?
    var stored = 0
  }

  private let path: String
  private let limits: PassStore.Limits
  private let logger: Logger
  private let state = Mutex(State())
  private let wakeUps: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation

  init(_ path: String, limits: PassStore.Limits, logger: Logger) {
    self.path = path
    self.limits = limits
    self.logger = logger
    (wakeUps, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The store, to read; nil while it can't be used.
  var store: PassStore? { state.withLock { $0.failure == nil ? $0.store : nil } }

  /// The state of the history, for the metrics.
  var status: HistoryStatus {
    let bytes = store?.bytes ?? 0
    return state.withLock { state in
      HistoryStatus(
        failure: state.failure, stored: state.stored, waiting: state.backlog.count, lost: state.backlog.dropped,
        bytes: bytes)
    }
  }

  /// Takes passes that have ended.
  ///
  /// Returns at once; the passes are stored later.
  func take(_ passes: [EndedPass]) {
    state.withLock { state in
      for pass in passes { state.backlog.add(pass) }
    }
    wake.yield()
  }

  /// Stores passes until this program ends, and then those that still wait.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { await self.work() }
        group.addTask {
          while (try? await Task.sleep(for: Self.sweep)) != nil { self.wake.yield() }
        }
      }
    }
    // Without the cancelled task.
    try? await write()
    await state.withLock { $0.store }?.close()
  }

  private func work() async {
    var pause = Self.pauses.lowerBound
    var moments = wakeUps.makeAsyncIterator()
    while !Task.isCancelled {
      do {
        try await write()
        note(nil)
        pause = Self.pauses.lowerBound
        await moments.next()
      } catch {
        guard !Task.isCancelled else { return }
        note(error)
        try? await Task.sleep(for: pause)
        pause = min(pause * 2, Self.pauses.upperBound)
      }
    }
  }

  /// Stores the waiting passes, and deletes passes that are too old or too many.
  private func write() async throws(StoreError) {
    let store = try await opened()
    while true {
      let passes = state.withLock(\.backlog.next)
      guard !passes.isEmpty else { break }
      let new = try await store.store(passes)
      state.withLock { state in
        state.backlog.remove(passes)
        state.stored += new
      }
    }
    _ = try await store.prune(to: limits, now: Date().timeIntervalSince1970)
  }

  /// Returns the store, and opens it again if its file was moved away.
  private func opened() async throws(StoreError) -> PassStore {
    if let store = state.withLock({ $0.store }) {
      guard store.isReplaced else { return store }
      logger.warning("\(path) was moved or deleted; the history continues in a new file")
      state.withLock { $0.store = nil }
      await store.close()
    }
    let store = try await PassStore.open(path)
    state.withLock { $0.store = store }
    return store
  }

  /// Logs a change: each reason once, not at each attempt.
  private func note(_ error: StoreError?) {
    let failure = error?.description
    let before = state.withLock { state in
      defer { state.failure = failure }
      return state.failure
    }
    guard failure != before else { return }
    if let failure {
      logger.error("the history isn't written: \(failure); trying again, probes and metrics go on")
    } else {
      logger.info("the history is written again")
    }
  }
}
