internal import InitCore
package import InitWords

/// A program that is an initializer: it is complete when it exits with status 0.
///
/// In its texts, `${outputs.NAME}` is the output of an initializer, `${outputs.NAME#/a/0}` a part of it by JSON Pointer, and `${ports.NAME}` a
/// port. They are put in at each start, which fails without one (S35, S36). Of the dollar signs before one of these, two stand for one.
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
  /// Which variables of all commands it gets, by names in which `*` stands for any characters; `nil` for all of them.
  package var variables: [String]?
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

  /// Returns those of the variables of all commands that it gets.
  package func selected(from common: [String: String]) -> [String: String] {
    guard let variables else { return common }
    let patterns = variables.map { $0.split(separator: "*", omittingEmptySubsequences: false) }
    return common.filter { variable in patterns.contains { Self.matches(variable.key, $0) } }
  }

  /// Returns whether a name consists of these parts, with anything between two of them.
  private static func matches(_ name: String, _ parts: [Substring]) -> Bool {
    guard parts.count > 1 else { return parts.first.map { $0 == name } ?? false }
    guard name.hasPrefix(parts[0]), name.hasSuffix(parts[parts.count - 1]),
      name.utf8.count >= parts[0].utf8.count + parts[parts.count - 1].utf8.count
    else { return false }
    var rest = name.utf8.dropFirst(parts[0].utf8.count).dropLast(parts[parts.count - 1].utf8.count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      let bytes = Array(part.utf8)
      guard let start = rest.indices.first(where: { rest[$0...].starts(with: bytes) }) else { return false }
      rest = rest[rest.index(start, offsetBy: bytes.count)...]
    }
    return true
  }
}
