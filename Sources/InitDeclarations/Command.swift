internal import InitCore
package import InitWords

/// A program that is an initializer: it is complete when it exits with status 0.
public struct Command: Hashable, Sendable {
  /// The program and its arguments.
  ///
  /// A name without a slash is searched for in its PATH.
  public var arguments: [String]
  /// Variables in addition to the supervisor's environment; they override it.
  public var environment: [String: String]
  /// The working directory; `nil` for the supervisor's.
  public var directory: String?
  /// The program, with its arguments, that is run at shutdown if the command has completed (S24).
  public var stop: [String]?
  /// The user, limits, priority and output of the command.
  package var settings: ProcessSettings {
    get { unusual?.value ?? ProcessSettings() }
    set { unusual = newValue == ProcessSettings() ? nil : Box(newValue) }
  }
  /// The settings, unless all are the supervisor's; on the heap, because few of a large manifest's commands have any.
  private var unusual: Box<ProcessSettings>?

  /// Creates a command from a program, its arguments and its working directory.
  public init(
    _ arguments: [String], environment: [String: String] = [:], directory: String? = nil, stop: [String]? = nil
  ) {
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
    self.stop = stop
  }
}
