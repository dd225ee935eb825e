internal import Synchronization

/// A state that can be read and followed from anywhere.
public final class ObservableState: Sendable {
  private struct Content {
    var value: InitializationState = .pending
    var nextObserver = 0
    var observers: [Int: AsyncStream<InitializationState>.Continuation] = [:]
  }

  /// How many changes an observer may be behind before it loses the oldest of them.
  public static let observerBacklog = 256

  private let content = Mutex(Content())

  init() {}

  /// The present value.
  public var current: InitializationState { content.withLock { $0.value } }

  /// The present value, then every change, in order, never the same value twice running (S1).
  ///
  /// Each call is an observer of its own, with its own pace; it ends when its task is cancelled. One that is more than
  /// ``observerBacklog`` changes behind loses the oldest of them.
  public var values: AsyncStream<InitializationState> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: InitializationState.self, bufferingPolicy: .bufferingNewest(Self.observerBacklog))
    let observer = content.withLock { content in
      let number = content.nextObserver
      content.nextObserver += 1
      content.observers[number] = continuation
      continuation.yield(content.value)
      return number
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.content.withLock { $0.observers.removeValue(forKey: observer) }
    }
    return stream
  }

  /// Publishes a value, if it differs from the present one.
  func publish(_ value: InitializationState) {
    content.withLock { content in
      guard value != content.value else { return }
      content.value = value
      for observer in content.observers.values { observer.yield(value) }
    }
  }
}
