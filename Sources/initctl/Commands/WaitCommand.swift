internal import CommandLineOptions
internal import EventLoop
internal import InitClient
internal import InitModel
internal import InitTimeline
internal import InitWords

/// `wait`: waits for states and initializers.
struct WaitCommand: SupervisorCommand {
  static let help = CommandHelp(
    "wait", "Wait until the app is ready, or until phases or initializers are complete.",
    discussion: """
      The first failure ends the wait; with --any it ends with the first success.

      Examples:
        initctl wait --timeout 30s && echo ready
        initctl wait launch migrate --progress --connect-timeout 10s
      """)

  private var names: [String] = []
  private var isAny = false
  private var timeout: Duration?
  private var appear = false
  private var progress = false
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.arguments(
      "what", &names, .waitTarget,
      help: "The targets: ready, launch, active, composite, or names of initializers. Default: ready.")
    try options.flag("any", &isAny, help: "Wait for the first of several to complete. Default: for all of them.")
    try options.option("timeout", &timeout, .duration, help: "Give up after this time. Default: never.")
    try options.flag("appear", &appear, help: "Accept a name that is not declared yet.")
    try options.flag(
      "progress", &progress, help: "Print a line whenever something starts, fails or completes, e.g. for CI.")
    try connection.visit(&options)
  }

  func run(on client: Client) async throws -> ProgramStatus {
    let targets = (names.isEmpty ? ["ready"] : names).map { WaitTarget($0) }
    guard progress else {
      return try await client.await(targets, isAny: isAny, timeout: timeout, appear: appear)
    }
    return try await client.awaitWithProgress(targets, isAny: isAny, timeout: timeout, appear: appear)
  }
}

extension Client {
  /// After this time without a line, a wait with progress says what it is waiting for.
  private static let quietTime = Duration.seconds(10)

  /// Waits for all targets, or for any of them, and prints a line whenever something starts, fails or completes.
  func awaitWithProgress(
    _ targets: [WaitTarget], isAny: Bool, timeout: Duration?, appear: Bool
  ) async throws -> ProgramStatus {
    let events = try await subscribe(to: ProgressLines.topics)
    let reading = Task(executorPreference: loop) { try await self.print(events, until: targets) }
    let status = try await self.await(targets, isAny: isAny, timeout: timeout, appear: appear)
    // All events until now are printed before this command ends.
    let rest = try await unsubscribe()
    var lines = try await reading.value
    for event in rest { try Console.write(lines.lines(event.params)) }
    return status
  }
  /// Prints a line for each event; if there was none for a while, prints what the targets wait for.
  private func print(_ events: EventSequence, until targets: [WaitTarget]) async throws -> ProgressLines {
    let quiet = Timer(loop: loop, name: "quiet")
    defer { quiet.close() }
    func restart() {
      quiet.start(after: Self.quietTime) { [weak self] in
        guard let self else { return }
        restart()
        Task(executorPreference: self.loop) { await self.remind(of: targets) }
      }
    }
    restart()
    var lines = ProgressLines(events.status)
    for try await event in events {
      let text = lines.lines(event.params)
      try Console.write(text)
      if !text.isEmpty { restart() }
    }
    return lines
  }

  /// Prints what the targets wait for.
  private func remind(of targets: [WaitTarget]) async {
    guard let status = try? await status() else { return }
    for target in targets {
      guard let why = await why(target, status), ProgramStatus(for: why) != .success else { continue }
      let sentence = why.first.sentence(now: status.time)
      try? Console.write("\(Phrases.moment(status.time)) still waiting for \(target): \(sentence)\n")
    }
  }
}
