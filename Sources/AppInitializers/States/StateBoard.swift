/// The three states of a manager, under one lock: they change together, so whoever reads two of them one after the other never finds
/// the second older than the first (S1).
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

  /// The present value.
  func value(of row: Row) -> InitializationState { content.withLock { $0.values[row] } }

  /// The present values, of one moment.
  var values: StateValues { content.withLock { $0.values } }

  /// Adds an observer, which takes the present values before this returns; `nil` for one that came after the end.
  ///
  /// It is for the caller to flush it.
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

  /// Tells an observer nothing any more, not even the end.
  func remove(_ observer: Int) {
    // Dropped outside of the lock: who knows what goes with it.
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

  /// Nothing will change any more: every observer's sequence ends behind what it hasn't read.
  func end() {
    let observers = content.withLock { content in
      content.isEnded = true
      defer { content.observers = [:] }
      return Array(content.observers.values)
    }
    for observer in observers { observer.finish() }
  }

  /// How many observe.
  var observerCount: Int { content.withLock { $0.observers.count } }
}
