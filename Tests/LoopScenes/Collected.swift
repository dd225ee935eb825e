internal import Synchronization

/// Values collected from anywhere.
package final class Collected<Value: Sendable>: Sendable {
  private let storage = Mutex<[Value]>([])

  package init() {}

  package var values: [Value] { storage.withLock { $0 } }

  package func append(_ value: Value) { storage.withLock { $0.append(value) } }
}

/// A closure that stays on its loop's thread, although it is queued as work.
package struct OnLoop: @unchecked Sendable {
  private let body: () -> Void
  package init(_ body: @escaping () -> Void) { self.body = body }
  package func callAsFunction() { body() }
}
