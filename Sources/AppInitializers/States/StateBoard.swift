/// The three states of a manager, under one lock. They change together: if you read two of them, the second is never older than the first
/// (S1).
final class StateBoard: Sendable {
  /// Which of the three.
  enum Row: CaseIterable {
    case launch, active, composite
  }

  private struct Content: Sendable {
    var values = StateValues()
    var observers: [Int: StateObserver] = [:]
    var lastObserver = 0
    var isEnded = false
  }

  private let content = Locked(Content())

  /// The current value.
  func value(of row: Row) -> InitializationState { content.withLock { $0.values[row] } }

  /// The current values, of one moment.
  var values: StateValues { content.withLock { $0.values } }

  /// Adds an observer, which gets the current values before this returns; `nil` after the end.
  ///
  /// The caller must flush it.
  func add(_ observer: StateObserver) -> Int? {
    let number: Int? = content.withLock { content in
      observer.take(content.values)
      guard !content.isEnded else { return nil }
      content.lastObserver += 1
      content.observers[content.lastObserver] = observer
      return content.lastObserver
    }
    if number == nil { observer.finish() }
    return number
  }

  /// Removes an observer; it isn't notified any more, not even of the end.
  func remove(_ observer: Int) {
    // Released outside of the lock, because deinitializers may run arbitrary code.
    _ = content.withLock { $0.observers.removeValue(forKey: observer) }
  }

  /// Publishes a record.
  func publish(_ values: StateValues) {
    let observers: [StateObserver] = content.withLock { content in
      guard values != content.values else { return [] }
      content.values = values
      for observer in content.observers.values { observer.take(values) }
      return Array(content.observers.values)
    }
    for observer in observers { observer.flush() }
  }

  /// Ends all sequences; observers still get their unread values.
  func end() {
    let observers = content.withLock { content in
      content.isEnded = true
      defer { content.observers = [:] }
      return Array(content.observers.values)
    }
    for observer in observers { observer.finish() }
  }

  /// The number of observers.
  var observerCount: Int { content.withLock { $0.observers.count } }
}
