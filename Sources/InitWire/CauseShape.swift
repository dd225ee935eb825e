/// Why a run failed (protocol §3, S2).
public enum CauseShape: Sendable, Equatable {
  /// It reported an error.
  case error(message: String)
  /// Its command exited with a status other than 0.
  case exit(status: Int)
  /// Its command was terminated by a signal, named e.g. `SIGKILL`.
  case signal(String)
  /// It exceeded its timeout, in seconds.
  case timeout(after: Double)
  /// Its worker disconnected.
  case workerLost
  /// Its program can't be started.
  case notFound(message: String)
  /// A kind of cause of a later version; the error's message describes it.
  case unknown(kind: String)
}

extension CauseShape: Codable {
  private enum Key: CodingKey { case kind, message, status, signal, after }
  private enum Kind: String, Codable { case error, exit, signal, timeout, workerLost, notFound }

  /// Reads protocol §3's Cause.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    self =
      switch try container.decode(Word<Kind>.self, forKey: .kind) {
      case .unknown(let kind): .unknown(kind: kind)
      case .known(.error): .error(message: try container.decode(String.self, forKey: .message))
      case .known(.exit): .exit(status: try container.decode(Int.self, forKey: .status))
      case .known(.signal): .signal(try container.decode(String.self, forKey: .signal))
      case .known(.timeout): .timeout(after: try container.decode(Double.self, forKey: .after))
      case .known(.workerLost): .workerLost
      case .known(.notFound): .notFound(message: try container.decode(String.self, forKey: .message))
      }
  }

  /// Writes protocol §3's Cause.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .error(let message):
      try container.encode(Kind.error, forKey: .kind)
      try container.encode(message, forKey: .message)
    case .exit(let status):
      try container.encode(Kind.exit, forKey: .kind)
      try container.encode(status, forKey: .status)
    case .signal(let signal):
      try container.encode(Kind.signal, forKey: .kind)
      try container.encode(signal, forKey: .signal)
    case .timeout(let after):
      try container.encode(Kind.timeout, forKey: .kind)
      try container.encode(after, forKey: .after)
    case .workerLost:
      try container.encode(Kind.workerLost, forKey: .kind)
    case .notFound(let message):
      try container.encode(Kind.notFound, forKey: .kind)
      try container.encode(message, forKey: .message)
    case .unknown(let kind):
      try container.encode(kind, forKey: .kind)
    }
  }
}
