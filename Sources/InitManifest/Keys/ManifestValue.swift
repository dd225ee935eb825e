/// The form of a key's value.
///
/// This type describes only the form. Whether a name is declared, for example, is checked when the whole manifest has been read.
indirect enum ManifestValue: Sendable {
  /// The version of the format: `1`.
  case version
  /// Any text, including an empty one.
  case text
  /// A text with more than spaces.
  case word
  /// A name of an initializer or a process.
  case name
  /// `true` or `false`.
  case boolean
  /// `true`, `false`, or the name of a process.
  case worker
  /// A whole number from 1 to 1,000,000.
  case count
  /// A decimal number from 1 to 1000.
  case factor
  /// A duration; `isPositive` excludes 0.
  case duration(isPositive: Bool)
  /// One of these words.
  case choice([String])
  /// A program with its arguments, or a line for the shell.
  case command
  /// Different names.
  case names
  /// A user, perhaps with a group.
  case user
  /// A whole number from -20 to 19.
  case nice
  /// A number of bytes, perhaps with a unit; `isPositive` excludes 0.
  case size(isPositive: Bool)
  /// Paths of files.
  case paths
  /// Paths of files, at least one, perhaps with wildcards.
  case patterns
  /// Variables by name, with their values.
  case variables
  /// Names of variables, perhaps with wildcards.
  case variableNames
  /// Only `true`.
  case constant
  /// A signal that ends a program.
  case signal
  /// A host and a port.
  case endpoint
  /// A URL of HTTP.
  case url
  /// A path of at most so many bytes.
  case path(maximum: Int)
  /// A status of HTTP, a range of them, or a list of both.
  case statuses
  /// A variable, or a variable and its value.
  case condition
  /// Whole numbers from 1 to 1,000,000, by name.
  case counts
  /// Ports, by name.
  case ports
  /// How the readiness of a process is detected: `started`, or a mapping.
  case readiness
  /// A mapping with the keys of a section.
  case section(ManifestSection)
  /// A mapping from names to mappings with the keys of a section.
  case named(ManifestSection)

  /// The form in the manual's words.
  var words: String {
    switch self {
    case .version: "`1`"
    case .text: "text"
    case .word: "text that isn't empty"
    case .name: "a name"
    case .boolean: "`true` or `false`"
    case .worker: "`true`, `false`, or the name of a process"
    case .count: "a whole number from 1"
    case .factor: "a number from 1 to 1000"
    case .duration(isPositive: true): "a duration of more than 0"
    case .duration(isPositive: false): "a duration"
    case .choice(let words): Self.list(words)
    case .command: "a command"
    case .names: "a list of names"
    case .user: "a user, or `USER:GROUP`"
    case .nice: "a whole number from -20 to 19"
    case .size: "a size"
    case .paths: "a list of files"
    case .patterns: "a list of files, perhaps with wildcards"
    case .variables: "a mapping from variables to values"
    case .variableNames: "a list of names, perhaps with wildcards"
    case .constant: "`true`"
    case .signal: "`TERM`, `INT`, `QUIT`, `HUP`, `USR1`, `USR2`, `WINCH` or `KILL`, with or without `SIG`"
    case .endpoint: "`HOST:PORT`"
    case .url: "a URL that begins with `http://`, of at most 512 bytes"
    case .path(let maximum): "a path of at most \(maximum) bytes"
    case .statuses: "a status, a range, or a list of both"
    case .condition: "`NAME` or `NAME=VALUE`"
    case .counts: "a mapping from names to whole numbers from 1"
    case .ports: "a mapping from names to `NUMBER`, `NUMBER+` or `auto`"
    case .readiness: "`started`, or a mapping: [\(ManifestSection.ready.title)](#\(ManifestSection.ready.anchor))"
    case .section(let section): "a mapping: [\(section.title)](#\(section.anchor))"
    case .named(let section): "a mapping from names: [\(section.title)](#\(section.anchor))"
    }
  }

  /// Returns the names in a phrase: "`a`, `b` or `c`".
  private static func list(_ words: [String]) -> String {
    let quoted = words.map { "`\($0)`" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }
}
