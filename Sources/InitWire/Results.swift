// What requests are answered with (protocol §2, §4). `status` is answered with a StatusShape, `wait` with a StateShape,
// `ping` with the params as they came.

/// The result of `release`, `unsubscribe`, `unregister`, `shutdown` and `run`: `{}`.
public struct EmptyResult: Codable, Sendable, Equatable {
  /// `{}`
  public init() {}
  /// Reads any object: unknown members are ignored.
  public init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: Key.self) }
  /// Writes `{}`.
  public func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: Key.self) }

  private enum Key: CodingKey {}
}

/// The result of `hello` (protocol §2).
public struct HelloResult: Codable, Sendable, Equatable {
  /// `limits`: what the supervisor takes.
  public struct Limits: Codable, Sendable, Equatable {
    /// The largest payload towards the supervisor, in bytes.
    public var frameBytes: Int

    /// The limits of a supervisor.
    public init(frameBytes: Int) { self.frameBytes = frameBytes }
  }

  /// `protocol`: the version that both will speak.
  public var protocolVersion: Int
  /// Which program the supervisor is.
  public var server: ProgramShape
  /// Identifies one execution of the supervisor: different after every start.
  public var instance: String
  /// The supervisor's process.
  public var pid: Int
  /// What the supervisor takes.
  public var limits: Limits

  private enum CodingKeys: String, CodingKey {
    case protocolVersion = "protocol"
    case server, instance, pid, limits
  }

  /// The answer to `hello`.
  public init(protocolVersion: Int, server: ProgramShape, instance: String, pid: Int, limits: Limits) {
    self.protocolVersion = protocolVersion
    self.server = server
    self.instance = instance
    self.pid = pid
    self.limits = limits
  }
}

/// The result of `launch`.
public struct LaunchResult: Codable, Sendable, Equatable {
  /// The pass it started or joined, or the last one.
  public var pass: Int
  /// The launch state once the event is taken.
  public var launch: StateShape

  /// The answer to `launch`.
  public init(pass: Int, launch: StateShape) {
    self.pass = pass
    self.launch = launch
  }
}

/// The result of `activate`.
public struct ActivateResult: Codable, Sendable, Equatable {
  /// The pass it started or joined; if only a hold was added, the last active pass.
  public var pass: Int
  /// The active state once the event is taken.
  public var active: StateShape
  /// The launch state at that moment.
  public var launch: StateShape

  /// The answer to `activate`.
  public init(pass: Int, active: StateShape, launch: StateShape) {
    self.pass = pass
    self.active = active
    self.launch = launch
  }
}

/// The result of `deactivate`.
public struct DeactivateResult: Codable, Sendable, Equatable {
  /// The names that were running and that this call cancelled.
  public var cancelled: [String]

  /// The answer to `deactivate`.
  public init(cancelled: [String]) { self.cancelled = cancelled }
}

/// The result of `subscribe`.
public struct SubscribeResult: Codable, Sendable, Equatable {
  /// The snapshot on which the following events build.
  public var snapshot: StatusShape

  /// The answer to `subscribe`.
  public init(snapshot: StatusShape) { self.snapshot = snapshot }
}

/// The result of `register`.
public struct RegisterResult: Codable, Sendable, Equatable {
  /// The names that this connection now provides.
  public var registered: [String]

  /// The answer to `register`.
  public init(registered: [String]) { self.registered = registered }
}

/// The result of `logs`.
public struct LogsResult: Codable, Sendable, Equatable {
  /// The last lines, oldest first.
  public var lines: [LogLineShape]

  /// The answer to `logs`.
  public init(lines: [LogLineShape]) { self.lines = lines }
}

/// The result of `history`.
public struct HistoryResult: Codable, Sendable, Equatable {
  /// The last passes, the newest last.
  public var passes: [PassShape]

  /// The answer to `history`.
  public init(passes: [PassShape]) { self.passes = passes }
}
