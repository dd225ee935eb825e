internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire

/// `logs`: prints the output of commands.
struct LogsCommand: SupervisorCommand {
  static let help = CommandHelp(
    "logs", "Show the output of commands.",
    discussion: """
      The name of its initializer precedes each line, unless one name is given. --since and --attempt apply first, then --tail.

      The supervisor keeps the newest lines of all commands. The last 100 lines of each initializer's newest failed attempt are kept \
      apart until it succeeds or fails again: --failed shows them alone. With a state directory (initd --state-directory) they survive a \
      restart, and --state-directory shows them without a supervisor. If lines were dropped, a message on standard error says how many; \
      with --json the last of the lines so far is {"dropped":N}.

      Colours and other escape sequences are left out, and of a line with carriage returns, e.g. a progress bar, only the last part is \
      shown. --json prints the lines as they were written.

      Examples:
        initctl logs migrate
        initctl logs migrate menu --time --tail 20
        initctl logs --failed --pass 1
        initctl logs --follow
      """)

  private var names: [String] = []
  /// The processes that register these initializers: their output is shown.
  private var processes: Set<String> = []
  private var follow = false
  private var tail: Int?
  private var since: Duration?
  private var attempt: Int?
  private var failed = false
  private var pass: Int?
  private var time = false
  private var json = false
  private var record = RecordOptions()
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.arguments(
      "name", &names, .initializerOrProcessName,
      help: "The initializers, or processes of the supervisor, whose output to show. Default: all.")
    try options.flag("follow", &follow, help: "Show the lines so far, then each new line.")
    try options.option(
      "tail", &tail, .amount("n"), help: "Show only the last n of the lines so far. Default: all that are kept.")
    try options.option(
      "since", &since, .duration, help: "Of the lines so far, show only those of this last period, e.g. 5m.")
    try options.option("attempt", &attempt, .count("n"), help: "Show only lines of the n-th attempts of runs.")
    try options.flag(
      "failed", &failed, help: "Show only the last 100 lines of each initializer's newest failed attempt.")
    try options.option(
      "pass", &pass, .count("n"), help: "Show only lines of the pass with this number, as in history --all.")
    try options.flag("time", &time, help: "Begin each line with its time, in UTC.")
    try options.flag("json", &json, help: "Print each line as JSON, as in the protocol.")
    try record.visit(&options)
    try connection.visit(&options)
  }

  func validate() throws(UsageError) {
    if failed, follow { throw UsageError("--failed and --follow can't be combined; omit one of them") }
    guard record.stateDirectory != nil else { return }
    let other = follow ? "--follow" : since != nil ? "--since" : connection.socket != nil ? "--socket" : nil
    if let other { throw UsageError("--state-directory and \(other) can't be combined; omit one of them") }
  }

  func run() throws {
    guard let directory = record.stateDirectory else { return try runOnSupervisor() }
    try CommandLoop.run { _ in try show(RecordedFailures(directory)) }
  }

  private func show(_ recorded: RecordedFailures) throws -> ProgramStatus {
    let shown = shown(recorded.lines(of: record.supervisor), since: 0)
    if shown.isEmpty {
      Console.complain("no such output of a failed attempt is recorded in that state directory")
      return .failure
    }
    try write(shown)
    return .success
  }

  func run(on client: Client) async throws -> ProgramStatus {
    var command = self
    if !names.isEmpty {
      let initializers = try await client.send(StatusRequest()).initializers
      command.processes = Set(initializers.lazy.filter { names.contains($0.name) }.compactMap(\.process))
    }
    return try await command.show(on: client)
  }

  private func show(on client: Client) async throws -> ProgramStatus {
    var dropped = DroppedLines()
    var unknown: [String] = []
    for name in names {
      do throws(ClientError) {
        dropped.add(try await client.logs(LogsRequest(initializer: name, limit: 1)))
      } catch {
        guard case .refused(let refusal) = error, refusal.knownCode == .unknownInitializer else { throw error }
        unknown.append(name)
      }
    }
    guard unknown.isEmpty else { return await complaint(of: unknown, client) }
    var start = 0.0
    // The time is by the supervisor's clock, like that of its lines.
    if let since { start = try await client.send(StatusRequest()).time - since.inSeconds }
    guard follow else {
      let result = try await client.logs(LogsRequest(initializer: only, limit: limit, failed: failed, pass: pass))
      if names.isEmpty { dropped.add(result) }
      if let pass, result.lines.isEmpty { try await check(pass, client) }
      try write(shown(result.lines, since: start), dropped)
      return .success
    }
    OutputReader.endWhenGone()
    let (result, following) = try await client.followLogs(of: only, limit: limit, pass: pass)
    await client.expectNews()
    if names.isEmpty { dropped.add(result) }
    try write(shown(result.lines, since: start), dropped)
    for try await event in following {
      switch event.params.body {
      case .log(let line) where concerns(line): try write([line])
      case .lagged(let dropped): Console.complain("\(dropped) events were dropped: initctl read them too slowly")
      default: continue
      }
    }
    return .success
  }

  /// Complains about names that the supervisor doesn't know, and returns the exit status.
  private func complaint(of unknown: [String], _ client: Client) async -> ProgramStatus {
    let status = try? await client.send(StatusRequest())
    let known = (status?.initializers.map(\.name) ?? []) + (status?.processes?.map(\.name) ?? [])
    for name in unknown { UnknownName.complain(of: name, among: known, remedy: "initctl status lists them") }
    return .usage
  }

  /// Throws `MissingPass` if no supervisor has recorded a pass with this number.
  private func check(_ pass: Int, _ client: Client) async throws {
    let params = HistoryRequest(limit: .max, inFlight: true, summaries: true)
    let known = try await client.history(params).summaries?.map(\.pass) ?? []
    if !known.contains(pass) { throw MissingPass(pass, of: nil, known: known) }
  }

  /// The only name, which the supervisor then filters by.
  private var only: String? { names.count == 1 ? names.first : nil }

  /// How many lines to request.
  ///
  /// If this program filters them, it needs all.
  private var limit: Int {
    names.count > 1 || since != nil || attempt != nil ? .max : max(1, tail ?? .max)
  }

  private func shown(_ lines: [LogLine], since start: Double) -> [LogLine] {
    let lines = lines.filter { concerns($0) && $0.time >= start }
    return tail.map { lines.suffix($0) } ?? lines
  }

  private func concerns(_ line: LogLine) -> Bool {
    (names.isEmpty || names.contains(line.initializer) || processes.contains(line.initializer))
      && (attempt == nil || line.attempt == attempt) && (pass == nil || line.pass == pass)
  }

  private func write(_ lines: [LogLine], _ dropped: DroppedLines) throws {
    if !json, let sentence = dropped.sentence { Console.explain([sentence]) }
    try write(lines)
    if json, dropped.count > 0 { try Console.write(dropped.json) }
  }

  private func write(_ lines: [LogLine]) throws {
    let printer = LogPrinter(
      isJSON: json, showsTime: time, showsName: names.count != 1,
      width: names.reduce(0) { max($0, TextWidth.columns($1)) },
      style: Style(hasColor: OutputTerminal.current.hasColor))
    try Console.write(lines.reduce(into: []) { $0 += try printer.text($1) })
  }
}
