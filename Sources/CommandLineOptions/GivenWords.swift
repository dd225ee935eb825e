internal import InitText

/// The words of a command line, sorted by the options and arguments that they belong to.
struct GivenWords {
  /// The values of the given options, in their order; a flag has the empty value.
  private var options: [(name: String, value: String)] = []
  private(set) var arguments: [String] = []
  /// The words after `--`, if the command takes them separately.
  private(set) var command: [String]?
  /// Whether `--` is given: no option follows it.
  private(set) var isSeparated = false
  /// The option at the end of an unfinished command line whose value is missing.
  private(set) var unfinished: OptionDescription?

  /// The options of every command; `-h` is short for `--help`.
  static let standardOptions = [
    OptionDescription(.flag, "version", section: "Options", help: "Show the version."),
    OptionDescription(.flag, "help", section: "Options", help: "Show help information."),
  ]

  /// Sorts the words of a command line.
  ///
  /// `earlier` are words that were sorted before; their options precede those of `words`. `endsAtArgument` is true if the first argument is
  /// a command's name, followed by that command's own words. `isUnfinished` is true if more words follow, so the value of the last option
  /// may be missing.
  init(
    _ words: some Sequence<String>, for described: [OptionDescription], after earlier: GivenWords? = nil,
    endsAtArgument: Bool = false, isUnfinished: Bool = false
  ) throws(UsageError) {
    options = earlier?.options ?? []
    let described = described + GivenWords.standardOptions
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      if word == "--" {
        isSeparated = true
        if described.contains(where: { $0.kind == .command }) { command = Array(rest) } else { arguments += rest }
        return
      }
      guard word.hasPrefix("-"), word != "-" else {
        arguments.append(word)
        guard endsAtArgument else { continue }
        arguments += rest
        return
      }
      try parseOption(word, &rest, described, isUnfinished: isUnfinished)
    }
  }

  private mutating func parseOption(
    _ word: String, _ rest: inout ArraySlice<String>, _ described: [OptionDescription], isUnfinished: Bool
  ) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let name = parts[0] == "-h" ? "--help" : parts[0]
    let known = described.filter { $0.kind == .flag || $0.kind == .option }
    guard let option = known.first(where: { "--" + $0.name == name }) else {
      let meant = Suggestion.nearest(to: name, among: known.map { "--" + $0.name })
      throw UsageError("unknown option \(name)\(meant.map { "; did you mean \($0)?" } ?? "")")
    }
    var value = parts.count > 1 ? parts[1] : nil
    if option.kind == .flag {
      if let value { throw UsageError("\(name) takes no value; remove \"=\(value)\"") }
      value = ""
    } else if value == nil, let next = rest.first, !next.hasPrefix("-") || next == "-" {
      value = rest.removeFirst()
    } else if value == nil, rest.isEmpty, isUnfinished {
      unfinished = option
      return
    } else if value == nil || value == "" {
      let article = option.noun.first.map { "aeiou".contains($0) } == true ? "an" : "a"
      throw UsageError("\(name) needs a value: \(article) \(option.noun)")
    }
    options.append((option.name, value ?? ""))
  }

  mutating func removeArguments() -> [String] {
    defer { arguments = [] }
    return arguments
  }

  /// Whether an option is given.
  func has(_ name: String) -> Bool { options.contains { $0.name == name } }

  /// Returns the values of an option, one for each time it is given.
  func values(of name: String) -> [String] { options.filter { $0.name == name }.map(\.value) }

  /// Returns the values of an option; those of an argument are removed, so the next argument gets the rest.
  mutating func nextValues(of option: OptionDescription) throws(UsageError) -> [String] {
    switch option.kind {
    case .flag, .option: return values(of: option.name)
    case .argument:
      guard arguments.isEmpty else { return [arguments.removeFirst()] }
      if option.isRequired { throw UsageError("missing \(option.name)") }
      return []
    case .arguments: return removeArguments()
    case .command:
      guard command?.isEmpty ?? option.isRequired else { return command ?? [] }
      let remedy = option.isRequired ? "" : ", or remove --"
      throw UsageError("missing \(option.name); give the \(option.name) after --\(remedy)")
    }
  }
}
