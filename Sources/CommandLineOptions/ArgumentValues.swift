/// The values of an argument that a shell can complete.
package enum ArgumentValues: Hashable, Sendable {
  /// No value is known in advance, for example of a duration.
  case unknown
  /// One of these values.
  ///
  /// A value follows a word that ends with `=`.
  case words([String])
  /// A name that only the supervisor knows.
  case names(SupervisorNames)
  /// Words that the shell itself knows.
  case ofShell(ShellWords)
}

/// The names of a running supervisor that an argument accepts.
package struct SupervisorNames: Hashable, Sendable {
  /// Words that are accepted instead of the name of an initializer.
  let words: [String]
  /// The text after the name, for example `=`.
  let suffix: String
  /// Whether the names of its processes are accepted too.
  package let includesProcesses: Bool

  package init(orWords words: [String] = [], suffix: String = "", includesProcesses: Bool = false) {
    self.words = words
    self.suffix = suffix
    self.includesProcesses = includesProcesses
  }
}

/// The kinds of words that a shell completes without help.
package enum ShellWords: String, Hashable, Sendable {
  case files, directories, commands
}
