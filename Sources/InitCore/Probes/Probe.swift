/// Something outside of the supervisor that is tried until it holds (S31).
package struct Probe: Hashable, Sendable {
  /// The target of a probe.
  package enum Target: Hashable, Sendable {
    /// A port that accepts a connection.
    case tcp(Endpoint)
    /// A page whose answer has a good status.
    case http(HTTPTarget)
    /// A Unix socket, at this path, that accepts a connection.
    case unix(String)
    /// A file of any kind, at this path, that exists.
    case path(String)
    /// A command that exits with status 0; only for the readiness of a process.
    case command([String])
    /// A port, or a page if it has good statuses, whose text has references to values (S35): it is read when the tries begin.
    case later(String, statuses: StatusRanges?)
  }

  /// The target of the probe.
  package var target: Target
  /// The pause between two tries.
  package var every: Duration
  /// How long a try may take.
  package var tryTimeout: Duration
  /// What messages say instead of a target that contains a secret.
  package var written: String?

  /// The target in the words of messages.
  package var name: String { written ?? "\(target)" }

  /// The default of `every`.
  package static let usualPause = Duration.milliseconds(200)
  /// The default of `tryTimeout`.
  package static let usualTryTimeout = Duration.seconds(5)

  /// Creates a probe.
  package init(_ target: Target, every: Duration = usualPause, tryTimeout: Duration = usualTryTimeout) {
    self.target = target
    self.every = every
    self.tryTimeout = tryTimeout
  }
}

extension Probe.Target: CustomStringConvertible {
  /// The target as it is written in a manifest.
  package var description: String {
    switch self {
    case .tcp(let endpoint): "\(endpoint)"
    case .http(let target): "\(target)"
    case .unix(let path), .path(let path): path
    case .later(let text, _): text
    case .command(let arguments): arguments.joined(separator: " ")
    }
  }
}
