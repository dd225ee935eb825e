internal import InitLocks

/// A host of initializers: an ``InitManager``, or an embedded supervisor.
///
/// Code that takes `some Initialization` works with both, so a program changes the host of its initializers in one line.
public protocol Initialization: Sendable {
  /// The state of the launch phase.
  var launchState: ObservableState { get }
  /// The state of the active phase.
  var activeState: ObservableState { get }
  /// The composite state (S1).
  ///
  /// Its sequence of values ends when the host has ended.
  var state: ObservableState { get }
  /// The progress of initialization.
  var progress: InitializationProgress { get async }
  /// Retries a failed launch, or joins a running one (S9, S10).
  func launch() async
  /// Makes the app active (S10).
  ///
  /// - Returns: the number of the pass that it started or joined; 0 if it is ending.
  @discardableResult func activate() async -> Int
  /// Makes the app inactive: cancels the active pass (S11).
  func deactivate() async
  /// Returns when launch is complete.
  ///
  /// - Throws: the ``AppInitializationError`` that launch failed with; `CancellationError` if the calling task is cancelled, or it has ended.
  func launched() async throws
  /// Returns when launch and active are complete while the app is active; without an active phase, when launch is (S1).
  ///
  /// - Throws: the ``AppInitializationError`` of the composite state; `CancellationError` if the calling task is cancelled, or it has ended.
  func ready() async throws
  /// Returns how a pass has ended (S10).
  ///
  /// - Throws: ``UnknownPass`` if the pass is unknown or forgotten; `CancellationError` if the calling task is cancelled.
  func outcome(ofPass number: Int) async throws -> InitializationPass.Outcome
  /// Returns the last output of the initializer of that type (S25); `nil` if it has none.
  func output<Initializer: ContextualInitializer>(of initializer: Initializer.Type) async -> Initializer.Output?
  /// Returns the last output of the initializer of that name (S25); `nil` if it has none, or one of another type.
  func output<Value: Sendable>(of initializer: String, as type: Value.Type) async -> Value?
  /// Ends the host before the program exits: no run starts any more, and when this returns all runs have been cancelled and have stopped
  /// (S13, S24).
  func finish() async
}

extension Initialization {
  /// Follows a lifecycle source until it ends or the task is cancelled.
  ///
  /// The next event is requested when the previous one has been processed and the states have changed.
  public func follow(_ events: some AsyncSequence<LifecycleEvent, Never>) async {
    for await event in events { await handle(event) }
  }

  func handle(_ event: LifecycleEvent) async {
    switch event {
    case .activate: await activate()
    case .deactivate: await deactivate()
    }
  }

  /// Registers an observer of all three states.
  ///
  /// It gets the current values first: as a consistent set if one manager publishes them.
  package func observe(_ observer: StateObserver) -> [StateObservation] {
    if launchState.observed === state.observed, activeState.observed === state.observed {
      return [StateObservation(observed: state.observed, number: state.observed.add(observer))]
    }
    // A test double may consist of unrelated states.
    let values = Locked(stateValues)
    observer.receive(stateValues)
    func follow(
      _ state: ObservableState, _ change: @escaping @Sendable (inout StateValues, InitializationState) -> Void
    )
      -> StateObservation
    {
      state.observe(
        receive: { value in
          observer.receive(
            values.withLock { values in
              change(&values, value)
              return values
            })
        }, flush: observer.flush, finish: observer.finish)
    }
    return [
      follow(launchState) { $0.launch = $1 }, follow(activeState) { $0.active = $1 },
      follow(state) { $0.composite = $1 },
    ]
  }

  /// The current values of the three states, as a consistent set if one manager publishes them.
  package var stateValues: StateValues {
    if launchState.observed === state.observed, activeState.observed === state.observed { return state.observed.value }
    return StateValues(launch: launchState.current, active: activeState.current, composite: state.current)
  }
}
