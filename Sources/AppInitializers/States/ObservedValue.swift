internal import InitLocks

/// A value that changes, and its observers, under one lock.
final class ObservedValue<Value: Sendable>: Sendable {
  private struct Content: Sendable {
    var value: Value
    var observers: [Int: ValueObserver<Value>] = [:]
    var lastObserver = 0
    var isEnded = false
  }

  private let content: Locked<Content>

  init(_ value: Value) { content = Locked(Content(value: value)) }

  /// The current value.
  var value: Value { content.withLock { $0.value } }

  /// Adds an observer, which gets the current value before this returns; `nil` after the end.
  ///
  /// Adds an observer; the caller must flush it.
  func add(_ observer: ValueObserver<Value>) -> Int? {
    let number: Int? = content.withLock { content in
      observer.receive(content.value)
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

  /// Publishes a value, if it differs from the last one.
  func publish(_ value: Value) where Value: Equatable {
    let observers: [ValueObserver<Value>] = content.withLock { content in
      guard value != content.value else { return [] }
      content.value = value
      for observer in content.observers.values { observer.receive(value) }
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

/// The three states of a manager.
///
/// The states change together: if you read two of them, the second is never older than the first (S1).
typealias ObservedStates = ObservedValue<StateValues>
