internal import CommandLineOptions
internal import InitModel
internal import InitWire

/// `report`: what a pass did, for somebody who wasn't there.
struct ReportCommand: PassCommand {
  static let help = CommandHelp(
    "report", "Write what a pass did into one file: for an issue, a colleague or CI.",
    discussion: """
      It has what happened, why the app isn't ready, the bars, the critical path, the output of failures, and what differs from the usual. \
      html is one page that refers to nothing else; markdown is for issues and summaries of CI jobs; junit has a test case for each \
      initializer; github has annotations. It contains no environment variables and no secret outputs, but the lines that commands wrote \
      stand in it as they were logged.

      Examples:
        initctl report --output report.html
        initctl report --format markdown
        initctl report --format junit --phase launch --output junit.xml
      """)

  /// The form of a report.
  private enum Format: String, CaseIterable {
    case html, markdown, junit, github
  }

  private var format: Format?
  private var output: String?
  private var pass = PassOptions()
  private(set) var record = RecordOptions()
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option(
      "format", &format, .word("format"),
      help: "The format: html, markdown, junit or github. Default: html, and markdown for a file *.md.")
    try options.option("output", &output, .file(), help: "Write it to this file, not to standard output.")
    try pass.visit(&options)
    try record.visit(&options)
    try connection.visit(&options)
  }

  func explain(_ source: some PassSource) async throws -> ProgramStatus {
    let recorded = try await source.recordedPass(pass)
    for note in recorded.notes(Self.help.name) { Console.complain(note) }
    let report = try await Report(recorded, from: source)
    let text =
      switch format ?? (output?.hasSuffix(".md") == true ? .markdown : .html) {
      case .html: report.html
      case .markdown: report.markdown
      case .junit: report.junit
      case .github: report.annotations
      }
    try ResultOutput(file: output).write(Array(text.utf8))
    return .success
  }
}
