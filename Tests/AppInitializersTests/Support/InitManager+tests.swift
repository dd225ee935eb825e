import InitCore
import InitWords

@testable import AppInitializers

extension InitManager {
  /// Creates a manager of objects and others that is started explicitly, on its own executor unless another is given.
  init(
    testing objects: sending [any AppInitializer],
    others: [(Declaration, ProviderKind, (any InitializerProvider)?)] = [],
    _ configuration: Machine.Configuration = .init(), executor: (any SerialExecutor)? = nil,
    objectExecutor: (any TaskExecutor)? = nil, alarm: any Alarm = ManualAlarm()
  ) {
    self.init(
      configuration, objects: objects, others: others,
      executor: executor.map { ManagerExecutor($0) } ?? ManagerExecutor(nil),
      objectExecutor: objectExecutor, alarm: alarm)
  }

  /// Passes every notice to `note`.
  func observe(_ note: @escaping @Sendable (Notice, Instant) -> Void) { hooks.observer = note }

  var snapshots: [InitializerSnapshot] { machine.initializers }

  func status(of name: String) -> InitializerStatus? { machine.initializer(named: name)?.status }

  var waiterCount: Int { waiters.count }

  /// The number of the active pass that is in flight, or the last.
  var activePass: Int? { machine.states.active.pass?.rawValue }
}

extension ObservableState {
  /// Waits for this value; `false` if the states end without it.
  @discardableResult
  func reached(_ value: InitializationState) async -> Bool {
    for await state in values where state == value { return true }
    return false
  }

  /// Waits until it isn't pending, and returns its value.
  func settled() async -> InitializationState? {
    for await state in values where state != .pending { return state }
    return nil
  }
}
