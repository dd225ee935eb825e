package import InitCore

/// Names in a directory whose change may change what a pattern matches.
package enum InputNames: Hashable, Sendable {
  /// This one.
  case name(String)
  /// Those that match.
  case matching(NamePattern)
  /// Those of directories.
  case directories
  /// All, because the directory itself is an input.
  case all

  /// Returns whether the file of a name matters.
  package func contain(_ name: String, isDirectory: () -> Bool) -> Bool {
    switch self {
    case .name(let own): own == name
    case .matching(let pattern): pattern.matches(name)
    case .directories: !name.hasPrefix(".") && isDirectory()
    case .all: !Self.isOfEditor(name)
    }
  }

  /// Returns whether a name is one that editors use for a file beside the one that they edit: `.app.py.swp`, `app.py~`, `.#app.py`,
  /// `#app.py#`, and `4913`, with which vim tries a directory.
  static func isOfEditor(_ name: String) -> Bool {
    if name.hasSuffix("~") || name.hasPrefix(".#") || name == "4913" { return true }
    if name.hasPrefix("#"), name.hasSuffix("#") { return true }
    return name.hasPrefix(".") && [".swp", ".swo", ".swx"].contains { name.hasSuffix($0) }
  }
}
