internal import InitText

/// A program with one command, or with several that are selected by name.
package struct Program: Sendable {
  /// The result of parsing a command line.
  package enum Invocation {
    /// A command to run.
    case command(any ProgramCommand)
    /// A text to print: help or the version.
    case text(String)
    /// A command of another program, its arguments, and the options before it.
    case other(name: String, arguments: [String], options: any OptionGroup)
    /// The answer to a shell that completes a command line.
    case completion(LineCompletion)
  }

  private let help: CommandHelp
  private let version: String
  /// The options that may precede a command's name, which all commands share.
  let shared: any OptionGroup.Type
  let commands: [any ProgramCommand.Type]
  /// Words of other programs, and the commands that do the same here.
  private let foreignWords: [String: [String]]
  /// Returns whether another program has this command.
  private let isOther: @Sendable (String) -> Bool
  /// The command of a program with only one.
  private let only: (any ProgramCommand.Type)?
  /// Whether a command's name is the first argument.
  var hasCommands: Bool { only == nil }

  package init(_ command: any ProgramCommand.Type, version: String) {
    help = command.help
    self.version = version
    shared = command
    commands = []
    foreignWords = [:]
    isOther = { _ in false }
    only = command
  }

  /// Creates a program with several commands.
  ///
  /// `shared` are the options that may precede a command's name. A command that lists the same options gets their values.
  /// `foreignWords` has the commands that an unknown one probably means, by its name. `isOther` says whether another program has a command.
  package init(
    _ help: CommandHelp, version: String, shared: any OptionGroup.Type, commands: [any ProgramCommand.Type],
    foreignWords: [String: [String]] = [:], isOther: @escaping @Sendable (String) -> Bool = { _ in false }
  ) {
    self.help = help
    self.version = version
    self.shared = shared
    self.commands = commands
    self.foreignWords = foreignWords
    self.isOther = isOther
    only = nil
  }

  /// Parses a command line, without the program's own name.
  ///
  /// The scripts of shells call `complete -- WORD…`, which isn't in help.
  ///
  /// - Throws: an error that says which word is wrong, and why.
  package func invocation(_ words: [String]) throws(UsageError) -> Invocation {
    if words.starts(with: ["complete", "--"]) { return .completion(completion(of: Array(words.dropFirst(2)))) }
    var path = help.name
    do throws(UsageError) {
      return try invocation(words, &path)
    } catch {
      throw UsageError(error.message, of: path)
    }
  }

  /// `path` is the program and the command, as far as they are known.
  private func invocation(_ words: [String], _ path: inout String) throws(UsageError) -> Invocation {
    var given = try GivenWords(words, for: Options.described(by: shared), endsAtArgument: only == nil)
    if let only { return try invocation(of: only, given, path) }
    if let text = answer(to: given, HelpPage(path, help, Options.described(by: shared), commands.map { $0.help })) {
      return .text(text)
    }
    let words = given.removeArguments()
    // Reports invalid values even if the command doesn't use them.
    let options = try Options.read(shared, from: given)
    guard let name = words.first else { throw UsageError("missing command") }
    if name == "help" { return try invocation(words.dropFirst() + ["--help"], &path) }
    if !commands.contains(where: { $0.help.name == name }), isOther(name) {
      return .other(name: name, arguments: Array(words.dropFirst()), options: options)
    }
    let command = try command(named: name)
    path += " \(name)"
    let described = Options.described(by: command)
    return try invocation(of: command, GivenWords(words.dropFirst(), for: described, after: given), path)
  }

  private func invocation(
    of type: any ProgramCommand.Type, _ given: GivenWords, _ path: String
  ) throws(UsageError) -> Invocation {
    if let text = answer(to: given, HelpPage(path, type.help, Options.described(by: type))) { return .text(text) }
    let command = try Options.read(type, from: given)
    try command.validate()
    return .command(command)
  }

  /// Returns the text for `--help` or `--version`.
  private func answer(to given: GivenWords, _ page: @autoclosure () -> HelpPage) -> String? {
    given.has("help") ? page().text : given.has("version") ? version + "\n" : nil
  }

  private func command(named name: String) throws(UsageError) -> any ProgramCommand.Type {
    if let command = commands.first(where: { $0.help.name == name }) { return command }
    let names = commands.map { $0.help.name }
    let meant = foreignWords[name] ?? Suggestion.nearest(to: name, among: names).map { [$0] } ?? []
    let hint = meant.isEmpty ? "" : "; did you mean \(meant.map { "\"\($0)\"" }.joined(separator: " or "))?"
    throw UsageError("unknown command \"\(name)\"\(hint)")
  }
}
