internal import CommandLineOptions
internal import InitForecasts
internal import InitModel
internal import InitTimeline
internal import InitWire

/// `plot`: draws a pass as an SVG picture.
struct PlotCommand: PassCommand {
  static let help = CommandHelp(
    "plot", "Draw a pass as an SVG picture: when each initializer waited, ran and ended.",
    discussion: """
      The picture follows the reader's preference for light or dark. Initializers on the critical path have a diamond.

      Examples:
        initctl plot > pass.svg
        initctl plot --phase all --output start.svg
      """)

  private var output: String?
  private var pass = PassOptions()
  private(set) var record = RecordOptions()
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option(
      "output", &output, .file(), help: "Write the picture to this file, not to standard output.")
    try pass.visit(&options)
    try record.visit(&options)
    try connection.visit(&options)
  }

  func explain(_ source: some PassSource) async throws -> ProgramStatus {
    let recorded = try await source.recordedPass(pass)
    let plot = Plot(recorded.timeline, caption: Phrases.moment(recorded.pass.started))
    for note in recorded.notes(Self.help.name) { Console.complain(note) }
    try ResultOutput(file: output).write(Array(plot.svg.utf8))
    return .success
  }
}
