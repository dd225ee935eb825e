import Synchronization

/// Values collected from anywhere.
final class Collected<Value: Sendable>: Sendable {
  private let storage = Mutex<[Value]>([])

  var values: [Value] { storage.withLock { $0 } }

  func append(_ value: Value) { storage.withLock { $0.append(value) } }
}

/// A closure that stays on its loop's thread, although it is queued as work.
struct OnLoop: @unchecked Sendable {
  private let body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }
  func callAsFunction() { body() }
}
