internal import CommandLineOptions
internal import Platform

/// `check`: replaces this process by `initd --check`, whose output and exit status are the result.
struct CheckCommand: ProgramCommand {
  static let help = CommandHelp(
    "check", "Check a manifest, and show the order of its initializers and their commands.",
    discussion: """
      The values of each file override those of the files before it.

      Examples:
        initctl check init.yaml
        initctl check base.yaml prod.yaml --strict
        initctl check base.yaml prod.yaml --resolved > whole.yaml
      """)

  private var files: [String] = []
  private var profiles: [String] = []
  private var isStrict = false
  private var resolves = false
  private var json = false

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.arguments(
      "file", &files, .file(),
      help:
        "The manifest to check; - for standard input. Default: the init.yaml of this folder, or of the nearest one above."
    )
    try options.option(
      "profile", &profiles, .text("name"),
      help: "Also select the initializers and workers with this profile. Can be repeated.")
    try options.flag(
      "strict", &isStrict, help: "Warnings are errors, and so are programs and directories that don't exist.")
    try options.flag(
      "resolved", &resolves,
      help:
        "Print the whole manifest as one YAML file, with the values of environment files and variables, which may be secret."
    )
    try options.flag(
      "json", &json,
      help: "Print each mistake or warning as JSON, one a line; if there is none, the graph and the order, on one line."
    )
  }

  func validate() throws(UsageError) {
    if files.isEmpty, SupervisorAddress.found == nil {
      throw UsageError(
        "no manifest is given, and there is no init.yaml here or above; add FILE, or - for standard input")
    }
    guard files.count(where: { $0 == "-" }) < 2 else {
      throw UsageError("standard input (-) can be read only once; name it once, or give a file")
    }
    if resolves, json { throw UsageError("--resolved prints YAML; omit --json") }
  }

  func run() throws {
    let flags = [("--strict", isStrict), ("--resolved", resolves), ("--json", json)].filter(\.1).map(\.0)
    let files = files.isEmpty ? [SupervisorAddress.found?.shownManifest].compactMap(\.self) : files
    try ManifestProgram(checking: files, profiles: profiles, flags).replaceThisProcess()
  }
}
