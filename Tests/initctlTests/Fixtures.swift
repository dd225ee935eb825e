import InitModel
import InitWire
import InitWords

@testable import initctl

extension InitializationError {
  /// A command that exited with status 3.
  static let exit3 = InitializationError(
    initializer: "prices", reason: .initializerFailed(cause: .exit(status: 3)),
    message: "cannot initialize prices: exit status 3")
}

extension Initializer {
  /// An initializer of the launch phase, with the members that a test needs.
  static func fake(
    _ name: String, _ status: InitializerStatus, provider: ProviderKind = .command, available: Bool = true,
    attempt: Int = 1, phase: Phase? = nil, started: Double? = nil,
    duration: Double? = nil, progress: Initializer.Progress? = nil, error: InitializationError? = nil
  ) -> Initializer {
    Initializer(
      name: name, priority: .appLaunch, dependencies: [], provider: provider, available: available, status: status,
      run: 1, attempt: attempt, pass: 1, phase: phase, started: started, duration: duration,
      progress: progress, error: error)
  }
}

extension Status {
  /// Launch is in flight: one initializer runs.
  static let fakePending: Status = {
    var status = Status.fake
    status.launch = Status.State(.pending, pass: 1)
    status.active = Status.State(.pending)
    status.composite = Status.State(.pending)
    status.initializers = [status.initializers[1]]
    return status
  }()

  /// One of everything, with words of a later version that contain control characters.
  static let later: Status = {
    var status = Status.fake
    status.lifecycle = .unknown("dozing\r")
    status.composite.state = .unknown("paused\r")
    status.launch.state = .unknown("vetoed\r")
    status.initializers = [.fake("migrate", .complete, duration: 0.21)]
    status.initializers[0].status = .unknown("skipped\r")
    status.initializers[0].provider = .unknown("wasm\r")
    status.initializers[0].priority = .unknown("appIdle\r")
    status.workers = []
    return status
  }()

  /// One of everything, at the moment 1000.
  static let fake = Status(
    seq: 41, time: 1000, instance: "6f0c", pid: 4711, uptime: 133, lifecycle: .active,
    launch: Status.State(.complete, pass: 1), active: Status.State(.failed, error: .exit3, pass: 3),
    composite: Status.State(.failed, error: .exit3), holds: 1, concurrency: 2,
    initializers: [
      .fake("migrate", .complete, duration: 0.21),
      .fake(
        "feature-toggles", .running, attempt: 2, phase: .launch, started: 998.8,
        progress: Initializer.Progress(fraction: 0.5, message: "half\u{1B}[2J")),
      .fake("favorites", .waiting, provider: .worker, available: false, phase: .active),
      .fake("prices", .failed, phase: .active, duration: 75.3, error: .exit3),
    ],
    workers: [
      Status.Worker(client: "api\nworker", pid: 4720, initializers: ["favorites"]),
      Status.Worker(client: "spare", pid: nil, initializers: []),
    ])
}
