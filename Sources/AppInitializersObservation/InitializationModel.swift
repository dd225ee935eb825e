public import AppInitializers
public import Observation

/// The three states of a manager or a supervisor, for programs that use Observation: views and `withObservationTracking` are notified when
/// they change.
///
/// The states change together on the main actor, so code there never sees one of them newer than another (S1). The model doesn't keep the
/// manager or the supervisor alive.
///
/// ```swift
/// let model = InitializationModel(manager)
/// withObservationTracking { print(model.state) } onChange: { print("something changed") }
/// ```
@MainActor @Observable
public final class InitializationModel {
  /// The state of the launch phase.
  public private(set) var launchState: InitializationState
  /// The state of the active phase.
  public private(set) var activeState: InitializationState
  /// The composite of both.
  public private(set) var state: InitializationState

  @ObservationIgnored private var following: Task<Void, Never>?

  /// Creates a model of a manager's or a supervisor's states, with their current values.
  public init(_ initialization: some Initialization) {
    // Only the newest values are needed, so older ones may be dropped.
    let (stream, continuation) = AsyncStream.makeStream(of: StateValues.self, bufferingPolicy: .bufferingNewest(1))
    let outbox = Outbox(continuation, backlog: 1)
    let observations = initialization.observe(
      StateObserver(receive: outbox.add, flush: outbox.deliver, finish: outbox.finish))
    continuation.onTermination = { _ in for observation in observations { observation.cancel() } }
    outbox.deliver()
    let present = initialization.stateValues
    launchState = present.launch
    activeState = present.active
    state = present.composite
    following = Task { [weak self] in
      for await values in stream { self?.receive(values) }
    }
  }

  isolated deinit { following?.cancel() }

  private func receive(_ values: StateValues) {
    if launchState != values.launch { launchState = values.launch }
    if activeState != values.active { activeState = values.active }
    if state != values.composite { state = values.composite }
  }
}
