public import InitJSON

/// The differences between the configuration of a supervisor and the one that a reload has read, or would read (S27).
public struct ConfigurationChanges: Sendable, Shape {
  /// An initializer or a process with another definition.
  public struct Change: Sendable, Shape {
    /// The name.
    public var name = ""
    /// The changed keys, in the manifest's words.
    public var keys: [String] = []
    /// If `environment` is one of them: which variables differ.
    public var variables: [String] = []
    /// If `inputs` is one of them because the contents of files differ: how many files, and one of them.
    public var files: Files?

    /// Files whose contents differ from those when an initializer completed.
    public struct Files: Sendable, Shape {
      /// How many files were changed, added or removed.
      public var count = 0
      /// One of them.
      public var example = ""

      /// Creates an empty value, to be filled by reading.
      public init() {}
      /// Describes files.
      public init(count: Int, example: String) {
        self.count = count
        self.example = example
      }

      /// Visits the members.
      public mutating func visit(_ json: inout Members) throws(ShapeFault) {
        try json.required("count", &count)
        try json.required("example", &example)
      }
    }

    /// Creates an empty value, to be filled by reading.
    public init() {}
    /// Describes a change of an initializer or a process.
    public init(name: String, keys: [String], variables: [String] = [], files: Files? = nil) {
      self.name = name
      self.keys = keys
      self.variables = variables
      self.files = files
    }

    /// The text for people: `name (key, key)`, with the variables of `environment`: `name (environment: PORT, DEBUG)`, and the files of
    /// `inputs`: `name (inputs: 3 files, e.g. 0042.sql)`.
    public var words: String {
      let keys = keys.map { key in
        switch key {
        case "environment" where !variables.isEmpty: "\(key): \(variables.joined(separator: ", "))"
        case "inputs":
          files.map { "\(key): \($0.count == 1 ? $0.example : "\($0.count) files, e.g. \($0.example)")" } ?? key
        default: key
        }
      }
      return "\(name) (\(keys.joined(separator: ", ")))"
    }

    /// Visits the members.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("name", &name)
      try json.required("keys", &keys)
      try json.listed("variables", &variables)
      try json.optional("files", &files)
    }
  }

  /// The names of new initializers and processes, in the new order.
  public var added: [String] = []
  /// The initializers and processes whose work has changed, in the new order.
  public var changed: [Change] = []
  /// The names of removed initializers and processes, in the old order.
  public var removed: [String] = []
  /// The number of unchanged initializers and processes.
  public var unchanged = 0
  /// The unchanged initializers with a changed setting that takes effect at the next run.
  public var fromNextRun: [Change] = []
  /// The changed settings of the supervisor, in the manifest's words.
  public var settings: [String] = []
  /// Warnings about valid but probably unintended parts.
  public var warnings: [Finding] = []

  /// Creates an empty value, to be filled by reading.
  public init() {}

  /// Visits the members; the last three are left out if they are empty.
  public mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("added", &added)
    try json.required("changed", &changed)
    try json.required("removed", &removed)
    try json.required("unchanged", &unchanged)
    try json.listed("fromNextRun", &fromNextRun)
    try json.listed("settings", &settings)
    try json.listed("warnings", &warnings)
  }

  /// A mistake in a manifest, or a warning: its position, the problem, and what to do.
  public struct Finding: Sendable, Shape {
    /// The severity of a finding.
    public enum Severity: String, WireWord {
      /// A mistake: the manifest can't be used.
      case error
      /// Valid, but probably not meant.
      case warning
    }

    /// The file.
    public var file = ""
    /// The line, from 1.
    public var line = 1
    /// The column, from 1.
    public var column = 1
    /// The severity of the finding.
    public var severity: Word<Severity> = .known(.error)
    /// The problem.
    public var message = ""
    /// The remedy.
    public var suggestion: String?

    /// Creates an empty value, to be filled by reading.
    public init() {}

    /// Describes a mistake or a warning.
    public init(
      file: String, line: Int, column: Int, severity: Severity, message: String, suggestion: String?
    ) {
      self.file = file
      self.line = line
      self.column = column
      self.severity = .known(severity)
      self.message = message
      self.suggestion = suggestion
    }

    /// Visits the position, the severity, the problem and the remedy.
    public mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("file", &file)
      try json.required("line", &line)
      try json.required("column", &column)
      try json.required("severity", &severity)
      try json.required("message", &message)
      try json.optional("suggestion", &suggestion)
    }
  }
}

extension ConfigurationChanges.Finding: CustomStringConvertible {
  /// One line: `FILE:LINE:COLUMN: PROBLEM; REMEDY`, with `warning: ` before the meaning of a warning.
  public var description: String {
    let kind = severity == .warning ? "warning: " : ""
    return "\(file):\(line):\(column): \(kind)\(message)\(suggestion.map { "; \($0)" } ?? "")"
  }
}

extension Members {
  /// Visits a list that is left out if it is empty.
  fileprivate mutating func listed<Element: JSONValue>(
    _ name: StaticString, _ list: inout [Element]
  ) throws(ShapeFault) {
    var given = list.isEmpty ? nil : list
    try optional(name, &given)
    list = given ?? []
  }
}
