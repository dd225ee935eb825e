internal import InitClient
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords

/// The source of the commands that explain passes: a supervisor, or the state directory of a supervisor that may have ended.
protocol PassSource: Sendable {
  /// Returns the Status; for a state directory, the last recorded one.
  func status() async throws(ClientError) -> Status
  /// Returns the last passes.
  func history(_ params: HistoryRequest) async throws(ClientError) -> HistoryRequest.Result
  /// Returns how long phases and initializers usually take; nil if that isn't known in time.
  func usual() async -> [Usual]?
  /// Returns the last lines of output of an initializer; none if they aren't known in time.
  func lastLines(of name: String) async -> [LogLine]
  /// Returns the error for a pass that isn't known.
  func missingPass(_ pass: Int?, of phase: Phase?) async throws -> MissingPass
  /// Says on standard error if the manifest has changed since the supervisor has read it.
  func noticeManifestChange() async
  /// The supervisor whose passes were recorded, and when and why the newest record was written; nil for a supervisor that answers.
  var record: PassRecording? { get }
}

/// The newest record of a supervisor in a state directory.
struct PassRecording {
  /// The supervisor's instance.
  let instance: String
  /// The time of the record, in seconds since the Unix epoch.
  let time: Double
  /// The passes that ended then, or were in flight.
  let passes: [Pass]

  /// The time and the supervisor, for example `recorded at 2026-01-01T12:00:00.000Z, at the end of pass 2, by supervisor 6f0c2d9a`.
  var phrase: String {
    let numbers = Phrases.list(passes.map { "pass \($0.pass)" })
    let isInFlight = passes.contains { $0.duration == nil }
    let moment =
      isInFlight ? "while \(numbers) \(passes.count == 1 ? "was" : "were") in flight" : "at the end of \(numbers)"
    let supervisor = TerminalText.escape(String(instance.prefix(8)))
    return "recorded at \(Phrases.moment(time)), \(moment), by supervisor \(supervisor)"
  }
}

extension Client: PassSource {
  /// The timeout of optional answers; without them, an explanation is less detailed.
  private static let patience = Duration.seconds(2)

  func status() async throws(ClientError) -> Status { try await send(StatusRequest()) }

  func history(_ params: HistoryRequest) async throws(ClientError) -> HistoryRequest.Result {
    try await history(params, within: nil)
  }

  func usual() async -> [Usual]? { await usual(within: Client.patience) }

  func lastLines(of name: String) async -> [LogLine] {
    (try? await logs(LogsRequest(initializer: name), within: Client.patience))?.lines ?? []
  }

  func noticeManifestChange() async { await ManifestChange.complain(on: self) }

  nonisolated var record: PassRecording? { nil }
}

extension PassSource {
  /// Returns why a target isn't complete, with usual durations and the last lines of failed or current runs; nil for an unknown name.
  ///
  /// `status` is the Status to explain.
  func why(_ target: WaitTarget, _ status: Status) async -> Explanation? {
    let situation = Situation(status, usual: await usual() ?? [])
    let why = await WhyTree.why(target, in: situation) { await lastLines(of: $0) }
    return record == nil ? why : why?.afterEnd
  }
}
