extension Program {
  /// Returns the candidates for the last of these words, which is empty if nothing is typed yet.
  ///
  /// If an earlier word is wrong, there are no candidates.
  func completion(of words: [String]) -> LineCompletion {
    let word = words.last ?? ""
    var described = Options.described(by: shared)
    guard
      var given = try? GivenWords(words.dropLast(), for: described, endsAtArgument: hasCommands, isUnfinished: true)
    else { return LineCompletion() }
    if hasCommands, given.unfinished == nil {
      let before = given.removeArguments()
      guard let name = before.first else {
        let isOption = word.hasPrefix("-") && !given.isSeparated
        return isOption ? completion(of: word, for: described, after: given) : commandNames()
      }
      if name == "help" { return before.count == 1 ? commandNames() : LineCompletion() }
      guard let command = commands.first(where: { $0.help.name == name }) else { return LineCompletion() }
      described = Options.described(by: command)
      guard let all = try? GivenWords(before.dropFirst(), for: described, after: given, isUnfinished: true) else {
        return LineCompletion()
      }
      given = all
    }
    return completion(of: word, for: described, after: given)
  }

  private func commandNames() -> LineCompletion {
    LineCompletion(
      commands.map { LineCompletion.Candidate($0.help.name, $0.help.summary) } + [
        LineCompletion.Candidate("help", "Show the help of a command.")
      ])
  }

  private func completion(
    of word: String, for described: [OptionDescription], after given: GivenWords
  ) -> LineCompletion {
    if let option = given.unfinished { return LineCompletion(of: option, word, after: given) }
    if let command = given.command { return LineCompletion(command.isEmpty ? .commands : .files) }
    if word.hasPrefix("-"), !given.isSeparated {
      guard let equals = word.firstIndex(of: "=") else { return LineCompletion(options(described, after: given)) }
      let option = described.first { $0.kind == .option && "--" + $0.name == word[..<equals] }
      let value = word.index(after: equals)
      return option.map {
        LineCompletion(of: $0, String(word[value...]), prefix: String(word[..<value]), after: given)
      } ?? LineCompletion()
    }
    let arguments = described.filter { $0.kind == .argument }.dropFirst(given.arguments.count)
    if let argument = arguments.first ?? described.first(where: { $0.kind == .arguments }) {
      return LineCompletion(of: argument, word, after: given)
    }
    return LineCompletion(given.isSeparated ? [] : options(described, after: given))
  }

  /// Returns the options that may follow, and `--` if a command may follow it.
  private func options(_ described: [OptionDescription], after given: GivenWords) -> [LineCompletion.Candidate] {
    (described + GivenWords.standardOptions).compactMap { option in
      switch option.kind {
      case .flag, .option:
        given.has(option.name) && !option.isRepeatable ? nil : LineCompletion.Candidate("--" + option.name, option.help)
      case .command: LineCompletion.Candidate("--", option.help)
      case .argument, .arguments: nil
      }
    }
  }
}
