internal import Etcd
internal import Libuv

/// The changes of keys under a prefix, from one watch for all who wait for them.
actor KeyChanges {
  /// The loop as an executor.
  nonisolated let loop: Loop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private struct Waiter {
    let isConcerned: (String) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private let etcd: Etcd
  private let prefix: String
  private var watch: Etcd.Watch?
  /// The last revision at which each key has changed, as far as the watch has told.
  private var changed: [String: Int] = [:]
  private var waiters: [Int: Waiter] = [:]
  private var last = 0

  init(_ etcd: Etcd, under prefix: String) { (loop, self.etcd, self.prefix) = (etcd.loop, etcd, prefix) }

  /// Waits until a key that `isConcerned` accepts has changed after a revision, or what is known may be wrong, or the task is cancelled.
  /// The caller reads the keys again then.
  func change(after revision: Int, of isConcerned: @escaping @Sendable (String) -> Bool) async {
    if watch == nil { beginWatch(from: revision + 1) }
    last += 1
    let number = last
    // A watch can be dead for a while before TCP tells: the keys are read again.
    let patience = Task(executorPreference: loop) {
      try await Task.sleep(for: .seconds(Int.random(in: 10...15)))
      await self.wake(number)
    }
    defer { patience.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let hasChanged = changed.contains { $0.value > revision && isConcerned($0.key) }
        if Task.isCancelled || watch == nil || hasChanged { return continuation.resume() }
        waiters[number] = Waiter(isConcerned: isConcerned, continuation: continuation)
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
    changed = [:]
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
      let (key, revision) =
        switch event {
        case .put(let entry): (entry.key, entry.modified)
        case .deleted(let key, let revision): (key, revision)
        }
      changed[key] = revision
      for (number, waiter) in waiters where waiter.isConcerned(key) { wake(number) }
    }
  }
}
