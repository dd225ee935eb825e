internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitText
internal import InitWire

/// `env`: prints the environment of a command or a process.
struct EnvCommand: SupervisorCommand {
  static let help = CommandHelp(
    "env", "Print the environment that the next start of a command or a process would get.",
    discussion: """
      The output includes the outputs of complete dependencies, even secret ones. It doesn't include the variables of one run: INITD_RUN, \
      INITD_PASS, INITD_ATTEMPT, and the paths of its files. The format shell is for eval, and dotenv is for environment files. A variable \
      whose name the format can't express is left out, with a message.

      Examples:
        initctl env migrate
        eval "$(initctl env migrate)"
        initctl env migrate --format dotenv > migrate.env
      """)

  /// The form of the output.
  enum Format: String, CaseIterable { case shell, dotenv, json }

  private var name = ""
  private var format: Format?
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.argument("name", &name, .initializerOrProcessName, help: "The initializer or process.")
    try options.option("format", &format, .word("format"), help: "The format: shell, dotenv or json (default: shell).")
    try connection.visit(&options)
  }

  func run(on client: Client) async throws -> ProgramStatus {
    let answer = try await client.environment(of: name)
    let variables = answer.variables.sorted { $0.key < $1.key }
    switch format ?? .shell {
    case .json: try Console.write(JSONLine.line(answer.variables))
    case .shell: try write(variables, isName: Self.isShellName) { "export \($0)=\(Self.shellWord($1))\n" }
    case .dotenv: try write(variables, isName: Self.isDotenvName) { "\($0)=\(Self.dotenvValue($1))\n" }
    }
    return .success
  }

  private func write(
    _ variables: [(key: String, value: String)], isName: (String) -> Bool, _ line: (String, String) -> String
  ) throws {
    var text = ""
    for (name, value) in variables {
      guard isName(name) else {
        let other = Self.isDotenvName(name) ? "dotenv" : "json"
        Console.complain("the variable \(TerminalText.quote(name)) is left out; --format \(other) can show it")
        continue
      }
      text += line(name, value)
    }
    try Console.write(text)
  }

  /// Returns a text as one word of a shell.
  ///
  /// Scalar by scalar, because a quote with a combining mark is one character.
  static func shellWord(_ text: String) -> String {
    "'" + text.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
  }

  /// Returns a text as a value of an environment file, so that `environmentFile` reads the same text.
  static func dotenvValue(_ text: String) -> String {
    guard text.unicodeScalars.contains("'") else { return "'\(text)'" }
    let escapes: [Unicode.Scalar: String] = [
      "\n": "\\n", "\r": "\\r", "\t": "\\t", "\"": "\\\"", "\\": "\\\\", "$": "\\$",
    ]
    return "\"" + text.unicodeScalars.map { escapes[$0] ?? String($0) }.joined() + "\""
  }

  static func isShellName(_ name: String) -> Bool {
    name.first?.isNumber == false
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
  }

  static func isDotenvName(_ name: String) -> Bool {
    name.first?.isNumber == false
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_.-".contains($0)) }
  }
}
