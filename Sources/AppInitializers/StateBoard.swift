/// The three states of a manager, under one lock: they change together, so whoever reads two of them one after the other never finds
/// the second older than the first (S1).
final class StateBoard: Sendable {
  /// Which of the three.
  enum Row: CaseIterable {
    case launch, active, composite
  }

  private struct Content: Sendable {
    var values: [Row: InitializationState] = [:]
    var observers: [Int: (row: Row, continuation: AsyncStream<InitializationState>.Continuation)] = [:]
    var lastObserver = 0
    var isEnded = false

    func value(of row: Row) -> InitializationState { values[row, default: .pending] }
  }

  private let content = Locked(Content())

  /// The present value.
  func value(of row: Row) -> InitializationState { content.withLock { $0.value(of: row) } }

  /// A new observer's stream: the present value, then what is published, the newest `backlog` of it at most.
  func observe(_ row: Row, backlog: Int) -> AsyncStream<InitializationState> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: InitializationState.self, bufferingPolicy: .bufferingNewest(backlog))
    let observer: Int? = content.withLock { content in
      continuation.yield(content.value(of: row))
      guard !content.isEnded else { return nil }
      content.lastObserver += 1
      content.observers[content.lastObserver] = (row, continuation)
      return content.lastObserver
    }
    guard let observer else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.content.withLock { $0.observers.removeValue(forKey: observer) }
    }
    return stream
  }

  /// Publishes a record; whoever observes a state that it doesn't change hears nothing.
  func publish(_ values: [Row: InitializationState]) {
    content.withLock { content in
      let changed = values.filter { row, value in value != content.value(of: row) }
      content.values.merge(changed) { _, new in new }
      for (row, observer) in content.observers.values {
        if let value = changed[row] { observer.yield(value) }
      }
    }
  }

  /// Nothing will change any more: every observer's sequence ends behind what it hasn't read.
  func end() {
    let observers = content.withLock { content in
      content.isEnded = true
      return content.observers.values.map(\.continuation)
    }
    for observer in observers { observer.finish() }
  }

  /// How many observe.
  var observerCount: Int { content.withLock { $0.observers.count } }
}
