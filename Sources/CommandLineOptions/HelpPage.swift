/// The help page of a command.
struct HelpPage {
  private let path: String
  private let help: CommandHelp
  private let options: [OptionDescription]
  private let commands: [CommandHelp]

  /// Creates the page of a program or a command.
  ///
  /// `path` is the program and the command, as typed. `options` are the command's own; `--help` and `--version` are added. `commands` are
  /// the commands of the program, if it has several.
  init(_ path: String, _ help: CommandHelp, _ options: [OptionDescription], _ commands: [CommandHelp] = []) {
    self.path = path
    self.help = help
    self.options = options
    self.commands = commands
  }

  private static let width = 80
  /// The column at which explanations begin.
  private static let column = 26

  /// The page, including its final newline.
  var text: String {
    var parts = [HelpPage.wrapped(help.summary), usage]
    if !commands.isEmpty {
      parts.append(section("Commands", commands.map { ($0.name, $0.summary) }))
    }
    let options = options + GivenWords.standardOptions
    var titles = ["Arguments"]
    for option in options where !titles.contains(option.section) { titles.append(option.section) }
    for title in titles {
      let rows = options.filter { $0.section == title }.map { ($0.label, $0.help) }
      if !rows.isEmpty { parts.append(section(title, rows)) }
    }
    if !help.discussion.isEmpty {
      let lines = help.discussion.split(separator: "\n", omittingEmptySubsequences: false)
      parts.append(lines.map { $0.hasPrefix(" ") ? String($0) : HelpPage.wrapped(String($0)) }.joined(separator: "\n"))
    }
    if !commands.isEmpty { parts.append("See '\(path) help <command>' for the options of a command.") }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private var usage: String {
    let arguments = options.compactMap(\.usage)
    return (["Usage:", path, "[options]"] + (commands.isEmpty ? arguments : ["<command>"])).joined(separator: " ")
  }

  private func section(_ title: String, _ rows: [(label: String, text: String)]) -> String {
    let margin = String(repeating: " ", count: HelpPage.column)
    let lines = rows.map { row in
      let label = "  \(row.label)"
      let explanation = HelpPage.wrapped(row.text, HelpPage.width - HelpPage.column).split(separator: "\n")
        .joined(separator: "\n" + margin)
      return label.count < HelpPage.column - 1
        ? label + margin.dropFirst(label.count) + explanation : label + "\n" + margin + explanation
    }
    return ([title + ":"] + lines).joined(separator: "\n")
  }

  /// Wraps a text to a width; a longer word gets a line of its own.
  static func wrapped(_ text: String, _ width: Int = width) -> String {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines.joined(separator: "\n")
  }
}

extension OptionDescription {
  /// The first column in a list of options.
  fileprivate var label: String {
    switch kind {
    case .flag: name == "help" ? "-h, --help" : "--\(name)"
    case .option: "--\(name) <\(placeholder)>"
    case .argument, .arguments, .command: "<\(name)>"
    }
  }

  /// The form in the usage line; nil for options.
  fileprivate var usage: String? {
    switch kind {
    case .flag, .option: nil
    case .argument: isRequired ? "<\(name)>" : "[<\(name)>]"
    case .arguments: "[<\(name)> ...]"
    case .command: isRequired ? "-- <\(name)> [<argument> ...]" : "[-- <\(name)> [<argument> ...]]"
    }
  }
}
