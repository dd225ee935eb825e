@testable import CommandLineOptions

/// Options that may precede or follow the command's name.
struct Shared: OptionGroup {
  private(set) var socket: String?

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option("socket", &socket, .text("path"), help: "The supervisor's socket.")
  }
}

/// A command with every kind of option and argument, except words after `--`.
struct Fetch: ProgramCommand {
  static let help = CommandHelp("fetch", "Fetch things.", discussion: "Examples:\n  tool fetch a")
  enum Color: String, CaseIterable { case red, green }

  private(set) var wait = false
  private(set) var times = 1
  private(set) var color: Color?
  private(set) var tags: [String] = []
  private(set) var config: String?
  private(set) var name = ""
  private(set) var others: [String] = []
  private(set) var shared = Shared()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.flag("wait", &wait, help: "Wait until it has ended.")
    try options.option("times", &times, .count("n"), help: "How often.")
    try options.option("color", &color, .word("color"), help: "Which color.")
    try options.option("tag", &tags, .text("tag"), help: "One more tag.")
    try options.option("config", &config, .text("file"), help: "The configuration.")
    try options.argument("name", &name, .text("name"), help: "What to fetch.")
    try options.arguments("other", &others, .text("name"), help: "What else to fetch.")
    options.section("Connection")
    try shared.visit(&options)
  }

  func validate() throws(UsageError) {
    if others.contains(name) { throw UsageError("name \(name) once") }
  }

  func run() throws {}
}

/// A command that runs another command.
struct Exec: ProgramCommand {
  static let help = CommandHelp("exec", "Run a command.")
  private(set) var wait = false
  private(set) var place: String?
  private(set) var command: [String] = []

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.flag("wait", &wait, help: "Wait until it has ended.")
    try options.argument("place", &place, .text("place"), help: "Where to run it.")
    try options.command("command", &command, isRequired: true, help: "The command to run.")
  }

  func run() throws {}
}

/// A program that is one command.
struct Serve: ProgramCommand {
  static let help = CommandHelp("serve", "Serve an app.")
  private(set) var app: [String] = []

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.command("app", &app, isRequired: false, help: "The app.")
  }

  func run() throws {}
}

let tool = Program(
  CommandHelp("tool", "Do things."), version: "1.2", shared: Shared.self, commands: [Fetch.self, Exec.self],
  foreignWords: ["pull": ["fetch"], "do": ["fetch", "exec"]])

/// Reads a command line as one command's.
func read<Command: ProgramCommand>(_ type: Command.Type, _ words: String...) throws -> Command? {
  let program = type == Serve.self ? Program(type, version: "1.2") : tool
  guard case .command(let command) = try program.invocation(words) else { return nil }
  return command as? Command
}

/// Returns the text that is printed instead of running a command.
func text(_ words: String..., of program: Program = tool) throws -> String? {
  guard case .text(let text) = try program.invocation(words) else { return nil }
  return text
}
