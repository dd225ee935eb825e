internal import InitCore

/// The progress of initialization, for example for a splash screen.
///
/// ```swift
/// for await progress in await manager.progress.values {
///   show(progress.fraction, progress.running.map(\.initializer))
/// }
/// ```
public struct InitializationProgress: Sendable {
  /// How many initializers of the passes are done.
  public let done: Int
  /// The number of initializers in the passes: the last launch pass and, if there is one, the last active pass.
  public let total: Int
  /// The running initializers, in the order in which they started.
  public let running: [RunningInitializer]

  private let observed: ObservedValue<Progress>

  /// The quotient of `done` and `total`, 0…1; 0 if `total` is 0.
  public var fraction: Double { total == 0 ? 0 : Double(done) / Double(total) }

  /// The current progress, then every change in order, never the same value twice in a row.
  ///
  /// Each call creates an independent observer. An observer that is more than ``ObservableState/observerBacklog`` changes behind loses the
  /// oldest of them. The sequence ends when its task is cancelled, or the manager is ended or deallocated.
  public var values: AsyncStream<InitializationProgress> { observed.values() }

  init(_ progress: Progress, _ observed: ObservedValue<Progress>) {
    self.done = progress.done
    self.total = progress.total
    self.running = progress.running.map(RunningInitializer.init)
    self.observed = observed
  }
}

extension InitializationProgress: Equatable {
  /// Returns whether two values show the same.
  public static func == (left: Self, right: Self) -> Bool {
    left.done == right.done && left.total == right.total && left.running == right.running
  }
}

/// A running initializer with its reported progress (S17).
public struct RunningInitializer: Sendable, Hashable {
  /// The name.
  public let initializer: String
  /// 0…1, which doesn't go down; `nil` until the run has reported it.
  public let fraction: Double?
  /// A text for people; `nil` until the run has reported it.
  public let message: String?

  init(_ running: Progress.Running) {
    self.initializer = running.initializer
    self.fraction = running.progress?.fraction
    self.message = running.progress?.message
  }
}

extension InitManager {
  /// The current progress; ``InitializationProgress/values`` is the sequence of its changes.
  public var progress: InitializationProgress {
    let progress = machine.progress
    if !isProgressShown {
      isProgressShown = true
      observedProgress.publish(progress)
    }
    return InitializationProgress(progress, observedProgress)
  }
}

extension ObservedValue<Progress> {
  func values() -> AsyncStream<InitializationProgress> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: InitializationProgress.self, bufferingPolicy: .bufferingNewest(ObservableState.observerBacklog))
    let outbox = Outbox(continuation, backlog: ObservableState.observerBacklog)
    // The observed value itself calls the observer, and holds it.
    let observer = ValueObserver<Progress>(
      receive: { [unowned self] in outbox.add(InitializationProgress($0, self)) }, flush: outbox.deliver,
      finish: outbox.finish)
    guard let number = add(observer) else { return stream }
    continuation.onTermination = { [weak self] _ in self?.remove(number) }
    outbox.deliver()
    return stream
  }
}
