internal import CommandLineOptions
internal import InitForecasts
internal import InitModel
internal import InitTimeline
internal import InitWire

/// `trace`: prints a pass as trace events.
struct TraceCommand: PassCommand {
  static let help = CommandHelp(
    "trace", "Print a pass as Chrome trace events, which Perfetto (ui.perfetto.dev) opens.",
    discussion: """
      Each initializer has a track, with slices for the time in which it waited for dependencies, was queued, ran, or paused between two \
      attempts. Attempts and causes are in the arguments of the slices.

      Examples:
        initctl trace > pass.json
        initctl trace --phase launch --output launch.json
      """)

  private var output: String?
  private var json = false
  private var pass = PassOptions()
  private(set) var record = RecordOptions()
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.option("output", &output, .file(), help: "Write the trace to this file, not to standard output.")
    try options.flag("json", &json, help: "Has no effect: a trace is JSON.")
    try pass.visit(&options)
    try record.visit(&options)
    try connection.visit(&options)
  }

  func explain(_ source: some PassSource) async throws -> ProgramStatus {
    let recorded = try await source.recordedPass(pass)
    let trace = Trace(recorded.timeline)
    try ResultOutput(file: output).write(try JSONLine.line(trace))
    return .success
  }
}
