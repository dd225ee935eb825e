internal import CommandLineOptions

/// `schema`: replaces this process by `initd --schema`, whose output and exit status are the result.
struct SchemaCommand: ProgramCommand {
  static let help = CommandHelp(
    "schema", "Print every key of a manifest: for editors, for man, or to read.",
    discussion: """
      Editors complete and check a manifest that begins with the line
      "# yaml-language-server: $schema=init.schema.json".

      Examples:
        initctl schema > init.schema.json
        initctl schema --format part > init.part.schema.json
        initctl schema --format markdown
      """)

  /// The form of the printed schema.
  private enum Format: String, CaseIterable {
    case json, part, man, markdown
  }

  private var format = Format.json

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option(
      "format", &format, .word("format"),
      help:
        "The form: json (a JSON Schema), part (one of files that are merged with others), man (a manual page, init.yaml(5)) or markdown. Default: json."
    )
  }

  func run() throws { try ManifestProgram(printingSchema: format.rawValue).replaceThisProcess() }
}
