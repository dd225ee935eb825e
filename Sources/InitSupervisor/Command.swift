public import InitCore

/// A program that is an initializer: it is complete when it exits with status 0.
public struct Command: Hashable, Sendable {
  /// The program and what it is given. A name without a slash is looked for in its PATH.
  public var arguments: [String]
  /// What it has beside the supervisor's environment; wins over it.
  public var environment: [String: String]
  /// Its working directory; `nil` for the supervisor's.
  public var directory: String?

  /// A program, its arguments and where it runs.
  public init(_ arguments: [String], environment: [String: String] = [:], directory: String? = nil) {
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
  }
}

/// An initializer that a manifest declares, beside the program's own Swift objects.
public struct DeclaredInitializer: Sendable {
  /// What is said of it.
  public var declaration: Declaration
  /// What runs it; `nil` if a worker has to register it.
  public var command: Command?
  /// Whether what it hands to its dependents mustn't be seen in logs, states and events.
  public var isSecret: Bool

  /// An initializer run by a command or, without one, by a worker.
  public init(_ declaration: Declaration, command: Command? = nil, isSecret: Bool = false) {
    self.declaration = declaration
    self.command = command
    self.isSecret = isSecret
  }
}
