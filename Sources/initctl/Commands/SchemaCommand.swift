internal import CommandLineOptions
internal import InitWire

/// `schema`: prints the schema of the protocol, or replaces this process by `initd --schema`, whose output and exit status are the result.
struct SchemaCommand: ProgramCommand {
  static let help = CommandHelp(
    "schema", "Print every key of a manifest, for editors, for man, or to read; or every message of the protocol.",
    discussion: """
      Editors complete and check a manifest that begins with the line
      "# yaml-language-server: $schema=init.schema.json".

      Examples:
        initctl schema healthy
        initctl schema > init.schema.json
        initctl schema --format part > init.part.schema.json
        initctl schema --format markdown
        initctl schema --protocol > protocol.schema.json
      """)

  private var key: String?
  private var format: ManualFormat?
  private var isOfProtocol = false

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.argument("key", &key, .text("key"), help: "Print only the keys with this name, to read.")
    try options.option(
      "format", &format, .word("format"),
      help:
        "The form: json (a JSON Schema), part (one of files that are merged with others), man (a manual page, init.yaml(5)) or markdown. Default: json."
    )
    try options.flag(
      "protocol", &isOfProtocol,
      help: "Print a JSON Schema of the params, results and errors of the protocol, for clients in other languages.")
  }

  func validate() throws(UsageError) {
    if isOfProtocol, format != nil { throw UsageError("--protocol prints JSON; omit --format") }
    if key != nil, isOfProtocol || format != nil {
      throw UsageError("a key is printed as Markdown; omit --\(isOfProtocol ? "protocol" : "format")")
    }
  }

  func run() throws {
    guard !isOfProtocol else { return try Console.write(ProtocolSchema.text()) }
    if let key { try ManifestProgram(printingKey: key).replaceThisProcess() }
    try ManifestProgram(printingSchema: (format ?? .json).rawValue).replaceThisProcess()
  }
}
