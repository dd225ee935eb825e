internal import InitModel
internal import InitTimeline
internal import InitWords
internal import Logging
internal import Platform

/// The passes in the state directory: they keep the usual durations, and the explanations of the newest passes, across a restart.
final class PassJournal {
  private static let fileName = "passes"
  /// The maximum size of the file in bytes.
  private static let limit = 64 << 20
  /// The maximum number of stale bytes, beyond the size of the current contents, before compaction.
  private static let slack = 1 << 20
  /// Initializers of older passes than fit into this many bytes are not read, so reading doesn't delay other clients.
  private static let bytesToRead = 4 << 20

  private let context: RecordsContext
  private var file: StateFile?
  private var lines = PassLines(limit: limit)
  /// The summaries of the lines, once a client has asked for them.
  private var parsed: [Pass.Times]?
  /// The damage of the existing file; nil if it is complete.
  private(set) var damage: String?

  init(_ context: RecordsContext) { self.context = context }

  /// Whether passes are kept in a state directory.
  var isKept: Bool { file != nil }

  /// Why the file isn't written; nil if it is written.
  var unwritten: String? { file?.unwritten }

  /// The summaries of the last passes, oldest first.
  var summaries: [Pass.Times] {
    if let parsed { return parsed }
    let read = lines.summaries(readingInitializersOf: Self.bytesToRead)
    parsed = read
    return read
  }

  /// Opens the file, and keeps its lines.
  ///
  /// - Returns: the launch initializers that ran when the supervisor before this one ended.
  /// - Throws: why the state directory can't be used.
  func recall() throws(JournalError) -> Set<String> {
    guard let directory = context.settings.stateDirectory else { return [] }
    let journal = try JournalFile(Self.fileName, in: directory, limit: 2 * Self.limit)
    if let doubt = journal.doubt {
      let aside: String
      do { aside = try journal.putAside() } catch { throw .system(error) }
      damage = "the file of passes was ignored: \(doubt); it was renamed to \(aside)"
    }
    lines = PassLines(journal.contents ?? [], limit: Self.limit)
    let cutOff = lines.removeInFlight()
    if let interrupted = cutOff?.interrupted {
      for pass in interrupted.passes {
        context.logger.info("the supervisor before this one ended during \(pass.phase.rawValue) pass \(pass.pass)")
        let detail = PassDetail(passes: [pass], status: interrupted.status, output: interrupted.output)
        _ = lines.add(interrupted.summary(of: pass), detail)
      }
    }
    file = StateFile(
      context, journal, name: "the file of passes", consequence: "after a restart the passes since then are unknown",
      contents: { [unowned self] in lines.text })
    return cutOff?.running(in: .launch) ?? []
  }

  /// Looks for damaged lines.
  ///
  /// This is called once the start is done, because a long file takes a while.
  func check() {
    guard let file else { return }
    let count = lines.removeDamaged()
    if count > 0 {
      parsed = nil
      let lost = count == 1 ? "1 pass is unknown" : "\(count) passes are unknown"
      damage = "the file of passes was damaged: \(lost); \(file.replaceDamaged())"
    }
    if let damage { context.logger.warning("\(damage)") }
  }

  /// Adds a pass that has ended.
  ///
  /// Does nothing without a state directory.
  ///
  /// `detail` explains the pass. `others` is the passes that are still in flight.
  func add(_ summary: Pass.Times, _ detail: PassDetail, inFlight others: PassDetail?) {
    guard file != nil else { return }
    let added = lines.add(summary, detail, inFlight: others)
    parsed?.append(summary)
    if let count = parsed?.count, count > PassLines.count { parsed?.removeFirst(count - PassLines.count) }
    append(added)
  }

  /// Records the passes in flight, which are known if the supervisor is killed.
  func record(inFlight detail: PassDetail) {
    guard file != nil else { return }
    append(lines.recordInFlight(detail))
  }

  private func append(_ added: [UInt8]) { file?.append(added, within: 2 * lines.size + Self.slack) }

  /// Closes the file, because the next supervisor may need it.
  func close() {
    file?.close()
    file = nil
  }
}
