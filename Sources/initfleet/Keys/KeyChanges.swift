internal import Etcd
internal import Libuv

/// The changes of keys under a prefix, from one watch for all who wait for them.
actor KeyChanges {
  /// The loop as an executor.
  nonisolated let loop: Loop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private struct Waiter {
    let wakes: (EtcdEvent) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private let etcd: Etcd
  private let prefix: String
  private var watch: Etcd.Watch?
  /// The last change of each key that the watch has told.
  private var last: [String: EtcdEvent] = [:]
  private var waiters: [Int: Waiter] = [:]
  private var lastNumber = 0

  init(_ etcd: Etcd, under prefix: String) { (loop, self.etcd, self.prefix) = (etcd.loop, etcd, prefix) }

  /// Waits until a change after a revision for which `wakes` is true, or what is known may be wrong, or the task is cancelled. The caller
  /// reads the keys again then.
  ///
  /// - Parameter wakes: called with each change, and again with the last one of each key.
  func change(after revision: Int, that wakes: @escaping @Sendable (EtcdEvent) -> Bool) async {
    if watch == nil { beginWatch(from: revision + 1) }
    lastNumber += 1
    let number = lastNumber
    // A watch can be dead for a while before TCP tells: the keys are read again.
    let patience = Task(executorPreference: loop) {
      try await Task.sleep(for: .seconds(Int.random(in: 10...15)))
      await self.wake(number)
    }
    defer { patience.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let hasChanged = last.values.contains { $0.revision > revision && wakes($0) }
        if Task.isCancelled || watch == nil || hasChanged { return continuation.resume() }
        waiters[number] = Waiter(wakes: wakes, continuation: continuation)
      }
    } onCancel: {
      loop.perform { self.assumeIsolated { $0.wake(number) } }
    }
  }

  /// Wakes all, and begins a new watch when one is needed: this one may be dead.
  func doubt() {
    watch?.cancel()
    watchEnded()
  }

  private func beginWatch(from revision: Int) {
    last = [:]
    let prefix = prefix
    watch = etcd.assumeIsolated { etcd in
      etcd.watch(
        EtcdRange(prefix: prefix), from: revision,
        onEvents: { events in self.assumeIsolated { $0.take(events) } },
        onEnd: { _ in self.assumeIsolated { $0.watchEnded() } })
    }
  }

  private func watchEnded() {
    watch = nil
    for number in waiters.keys.sorted() { wake(number) }
  }

  private func wake(_ number: Int) { waiters.removeValue(forKey: number)?.continuation.resume() }

  private func take(_ events: [EtcdEvent]) {
    for event in events {
      last[event.key] = event
      for (number, waiter) in waiters where waiter.wakes(event) { wake(number) }
    }
  }
}
