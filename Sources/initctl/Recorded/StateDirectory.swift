internal import CommandLineOptions
internal import Glibc
internal import InitClient
internal import InitModel
internal import InitText
internal import InitTimeline
internal import InitWire
internal import InitWords
internal import Platform

/// The passes that supervisors have recorded in a state directory.
///
/// The directory answers like the last of its supervisors, or like a selected one.
struct StateDirectory: PassSource {
  /// The maximum size of the file in bytes; more isn't read.
  private static let limit = 128 << 20

  /// The summaries of all supervisors' passes, oldest first.
  private let summaries: [Pass.Times]
  /// The details that explain the newest passes of this supervisor, oldest first.
  ///
  /// The last detail may be that of passes in flight.
  private let details: [PassDetail]
  private let instance: String

  /// Reads a state directory.
  ///
  /// No lock is needed: the file is replaced atomically, and an incomplete last line is left out.
  ///
  /// `supervisor` is the beginning of the instance of the supervisor; nil for the newest. Throws the exit status, after it has printed why
  /// nothing can be explained.
  init(_ path: String, of supervisor: String?) throws(ProgramStatus) {
    let file = path.hasSuffix("/") ? path + "passes" : path + "/passes"
    let bytes = try Self.contents(of: file)
    var lines = PassLines(bytes, limit: Self.limit, detailLimit: Self.limit)
    let damaged = lines.removeDamaged()
    summaries = lines.summaries(readingInitializersOf: .max)
    let all = lines.details + (lines.detailInFlight.map { [$0] } ?? [])
    let instances = summaries.compactMap(\.instance) + all.map(\.status.instance)
    if damaged > 0 {
      let lost = damaged == 1 ? "1 line, which is left out" : "\(damaged) lines, which are left out"
      Console.complain("\(TerminalText.escape(file)) is damaged in \(lost)")
      if instances.isEmpty { throw .badRecord }
    }
    let last = (lines.detailInFlight?.status.instance ?? summaries.last?.instance)
    guard let chosen = supervisor.map({ asked in instances.last { $0.hasPrefix(asked) } }) ?? last else {
      if let supervisor {
        Console.complain(
          "no supervisor \(TerminalText.quote(supervisor)) has recorded a pass in \(TerminalText.escape(path)); "
            + "initctl history --all lists those that have")
        throw .usage
      }
      Console.complain("no pass is recorded in \(TerminalText.escape(path)); the supervisor ended before one started")
      throw .failure
    }
    instance = chosen
    details = all.filter { $0.status.instance == chosen }
    guard let newest = details.last else {
      Console.complain(
        "of the passes of supervisor \(TerminalText.escape(String(chosen.prefix(8)))), only summaries are kept: "
          + "initctl history --all lists them")
      throw .failure
    }
    for pass in newest.passes where pass.duration == nil {
      Console.complain(
        "the end of pass \(pass.pass) isn't recorded: its supervisor was killed during it, or is still running")
    }
  }

  /// Returns the contents of a file of a state directory.
  ///
  /// Throws the exit status, after it has printed why it can't be read.
  static func contents(of file: String) throws(ProgramStatus) -> [UInt8] {
    let why: String
    var status = ProgramStatus.unreadable
    do throws(RegularFileError) {
      let descriptor = try RegularFile.open(file)
      do throws(SystemError) {
        return try descriptor.contents(upTo: limit, file)
      } catch { throw .system(error) }
    } catch {
      switch error {
      case .irregular(let noun): why = "it is \(noun); name the directory of initd --state-directory"
      case .system(let error):
        let remedy =
          [EACCES, EPERM].contains(error.errno)
          ? "run initctl as its owner" : "name the directory of initd --state-directory"
        if [EACCES, EPERM].contains(error.errno) { status = .notPermitted }
        why = "\(SystemError.reason(of: error.errno)); \(remedy)"
      }
    }
    Console.complain("cannot read \(TerminalText.escape(file)): \(why)")
    throw status
  }

  /// A supervisor that has ended retries nothing.
  func noticeManifestChange() async {}

  var record: PassRecording? {
    details.last.map { PassRecording(instance: instance, time: $0.status.time, passes: $0.passes) }
  }

  func status() -> Status { details.last?.status ?? Status() }

  func usual() -> [Usual]? {
    let passes = summaries.compactMap(CompletePass.init)
    return Phase.allCases.compactMap { Usual(of: $0, in: passes) }
  }

  func lastLines(of name: String) -> [LogLine] {
    // A later record may be of a later pass, in which it didn't run.
    details.flatMap(\.output).filter { $0.initializer == name }
  }

  func missingPass(_ pass: Int?, of phase: Phase?) -> MissingPass {
    MissingPass(pass, of: phase, known: details.flatMap(\.passes).map(\.pass))
  }

  func history(_ params: HistoryRequest) -> HistoryRequest.Result {
    func chosen<Pass>(_ all: [Pass], _ number: (Pass) -> Int, _ phase: (Pass) -> Phase?, _ isEnded: (Pass) -> Bool)
      -> [Pass]
    {
      let found = all.filter { pass in
        (params.phase == nil || phase(pass) == params.phase) && (params.pass == nil || number(pass) == params.pass)
      }
      let ended = found.filter(isEnded)
      let open = params.inFlight || params.pass != nil ? found.filter { !isEnded($0) } : []
      return ended.suffix(params.pass == nil ? params.limit : .max) + open
    }
    let usual = params.usual ? self.usual() : nil
    guard params.summaries else {
      let passes = chosen(details.flatMap(\.passes), \.pass, \.phase.known) { $0.duration != nil }
      return HistoryRequest.Result(passes: passes, usual: usual)
    }
    let open = (details.last.map { detail in detail.passes.filter { $0.duration == nil }.map(detail.summary) } ?? [])
    let all = (summaries + open).map { summary in
      var summary = summary
      if summary.instance == instance { summary.instance = nil }
      return summary
    }
    let passes = chosen(all, \.pass, \.phase.known) { $0.outcome != .running }
    return HistoryRequest.Result(passes: [], summaries: passes, usual: usual)
  }
}

extension ProgramStatus {
  /// The record is damaged.
  fileprivate static let badRecord = ProgramStatus(65)
}
