internal import CommandLineOptions

/// `check`: replaces this process by `initd --check`, whose output and exit status are the result.
struct CheckCommand: ProgramCommand {
  static let help = CommandHelp(
    "check", "Check a manifest, and show the order of its initializers.",
    discussion: """
      Examples:
        initctl check init.yaml
        initctl check init.yaml > order.txt
      """)

  private var file = ""
  private var json = false

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.argument("file", &file, .file(), help: "The manifest to check.")
    try options.flag("json", &json, help: "Print its graph and the order as JSON, on one line.")
  }

  func run() throws { try ManifestProgram(checking: file).replaceThisProcess(isJSON: json) }
}
