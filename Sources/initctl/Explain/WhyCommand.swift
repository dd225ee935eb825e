internal import CommandLineOptions
internal import InitJSON
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

/// `why`: explains what an initializer, a phase or the app waits for, or why it failed.
struct WhyCommand: PassCommand {
  static let help = CommandHelp(
    "why", "Explain what readiness, a phase or an initializer waits for, or why it failed.",
    discussion: """
      The leaves of the tree run now, have failed first, or are missing. Everything is recorded once.

      With --json, a node has name, status and message, and because: the nodes that it waits for, or that stopped it. If they are known, \
      it also has since (seconds since the Unix epoch), usual (the median duration in seconds), pid (of a command that runs) and output \
      (the last lines of a failed or current run). A kept process that doesn't run, or was just restarted, has the status notRunning or \
      restarted. A process that runs, but hasn't registered an initializer that waits for it, has unregistered.

      With --state-directory, it explains the last record of a supervisor that has ended: the Status at the end of its newest pass, or \
      during the pass in which it was killed.

      Exit status: 0 if it is complete, 1 if it has failed or was cancelled, 2 if it isn't complete yet.

      Examples:
        initctl why
        initctl why migrate --json
      """)

  private var named: String?
  private var json = false
  private(set) var record = RecordOptions()
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.argument(
      "what", &named, .waitTarget,
      help: "The target: ready, launch, active, composite, or the name of an initializer. Default: ready.")
    try options.flag("json", &json, help: "Print the tree as JSON, on one line.")
    try record.visit(&options)
    try connection.visit(&options)
  }

  func explain(_ source: some PassSource) async throws -> ProgramStatus {
    let status = try await source.status()
    let name = named ?? "ready"
    guard let why = await source.why(WaitTarget(name), status) else {
      return UnknownName.complain(
        of: name, among: status, words: WaitTarget.words, remedy: "initctl status lists them")
    }
    if json {
      try Console.write(JSONLine.line(why.json()[...]))
    } else {
      if let record = source.record { try Console.write(record.phrase + "\n") }
      try Console.write(why.lines(.current, now: status.time).map { $0 + "\n" }.joined())
      if source.record == nil, let manifest = status.manifest, FoundSupervisor.areSeveral {
        try Console.write("  in \(TerminalText.escape(manifest.joined(separator: ", ")))\n")
      }
    }
    let end = ProgramStatus(for: why)
    await source.noticeManifestChange()
    return end
  }
}

extension ProgramStatus {
  /// The recorded pass isn't complete yet.
  static let stillWaiting = ProgramStatus(2)

  /// Creates the status for an explanation.
  init(for why: Explanation) {
    self =
      switch InitializerStatus(rawValue: why.status) {
      case .complete, .skipped: .success
      case .failed, .cancelled, .notRun: .failure
      case .idle, .waiting, .running, .stopping, nil: .stillWaiting
      }
  }
}
