/// An initialization error (protocol §3, S2): which initializer, what is wrong with it, and that in words.
public struct ErrorShape: Sendable, Equatable {
  /// What is wrong: `code` on the wire, and the members that go with it.
  public enum Reason: Sendable, Equatable {
    /// The whole cycle in order, its first name also last.
    case circularDependency(cycle: [String])
    /// The name that is missing.
    case missingDependency(dependency: String)
    /// The initializer's name was declared twice.
    case duplicateInitializer
    /// A run of it failed.
    case initializerFailed(cause: CauseShape)
    /// An error that a later version added; its message tells it in words.
    case unknown(code: String)
  }

  /// The initializer it concerns.
  public var initializer: String
  /// What is wrong.
  public var reason: Reason
  /// The same for people.
  public var message: String

  /// An error of an initializer.
  public init(initializer: String, reason: Reason, message: String) {
    self.initializer = initializer
    self.reason = reason
    self.message = message
  }
}

extension ErrorShape: Codable {
  private enum Key: CodingKey { case code, initializer, cycle, dependency, cause, message }
  private enum Code: String, Codable {
    case circularDependency, missingDependency, duplicateInitializer, initializerFailed
  }

  /// Reads protocol §3's Error; of one that this version doesn't know, whatever it has of initializer and message.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let word = try container.decode(Word<Code>.self, forKey: .code)
    guard let code = word.known else {
      initializer = try container.decodeIfPresent(String.self, forKey: .initializer) ?? ""
      message = try container.decodeIfPresent(String.self, forKey: .message) ?? word.rawValue
      reason = .unknown(code: word.rawValue)
      return
    }
    initializer = try container.decode(String.self, forKey: .initializer)
    message = try container.decode(String.self, forKey: .message)
    reason =
      switch code {
      case .circularDependency: .circularDependency(cycle: try container.decode([String].self, forKey: .cycle))
      case .missingDependency: .missingDependency(dependency: try container.decode(String.self, forKey: .dependency))
      case .duplicateInitializer: .duplicateInitializer
      case .initializerFailed: .initializerFailed(cause: try container.decode(CauseShape.self, forKey: .cause))
      }
  }

  /// Writes protocol §3's Error.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(initializer, forKey: .initializer)
    try container.encode(message, forKey: .message)
    switch reason {
    case .circularDependency(let cycle):
      try container.encode(Code.circularDependency, forKey: .code)
      try container.encode(cycle, forKey: .cycle)
    case .missingDependency(let dependency):
      try container.encode(Code.missingDependency, forKey: .code)
      try container.encode(dependency, forKey: .dependency)
    case .duplicateInitializer:
      try container.encode(Code.duplicateInitializer, forKey: .code)
    case .initializerFailed(let cause):
      try container.encode(Code.initializerFailed, forKey: .code)
      try container.encode(cause, forKey: .cause)
    case .unknown(let code):
      try container.encode(code, forKey: .code)
    }
  }
}
