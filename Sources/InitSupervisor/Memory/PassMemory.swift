internal import InitWire
internal import Logging
internal import Platform

/// The summaries of passes in the state directory: how long a pass usually takes is known after a restart, too.
final class PassMemory: Part {
  private static let fileName = "passes"
  /// The maximum size of the file in bytes.
  private static let limit = 64 << 20
  /// How many stale bytes, beyond the size of the current contents, are tolerated before compaction.
  private static let slack = 1 << 20
  /// Initializers of older passes than fit into this many bytes are not read, so that reading doesn't delay other clients.
  private static let bytesToRead = 4 << 20

  let core: Core
  private var file: StateFile?
  private var lines = PassLines(limit: limit)
  /// The summaries of the lines, once a client has asked for them.
  private var parsed: [PassSummaryShape]?

  init(_ core: Core) { self.core = core }

  /// Whether summaries are kept in a state directory.
  var isKept: Bool { file != nil }

  /// Why the file isn't written; nil if it is.
  var unwritten: String? { file?.unwritten }

  /// The summaries of the last passes, oldest first.
  var summaries: [PassSummaryShape] {
    if let parsed { return parsed }
    let read = lines.summaries(readingInitializersOf: Self.bytesToRead)
    parsed = read
    return read
  }

  /// Opens the file, and keeps its lines.
  ///
  /// - Throws: why the state directory can't be used.
  func recall() throws(JournalError) {
    guard let directory = configuration.stateDirectory else { return }
    let journal = try JournalFile(Self.fileName, in: directory, limit: 2 * Self.limit)
    if let doubt = journal.doubt {
      let aside: String
      do { aside = try journal.putAside() } catch { throw .system(error) }
      logger.warning("the file of passes is ignored: \(doubt); it is renamed to \(aside)")
    }
    lines = PassLines(journal.contents ?? [], limit: Self.limit)
    do { try journal.replace(with: lines.text) } catch { throw .system(error) }
    file = StateFile(
      core, journal, name: "the file of passes", consequence: "after a restart the passes since then are unknown",
      contents: { [unowned self] in lines.text })
  }

  /// A pass has ended. Does nothing without a state directory.
  func add(_ summary: PassSummaryShape) {
    guard let file else { return }
    let line = lines.add(summary)
    parsed?.append(summary)
    if let count = parsed?.count, count > PassLines.count { parsed?.removeFirst(count - PassLines.count) }
    file.append(line, within: 2 * lines.size + Self.slack)
  }

  /// Closes the file, because the next supervisor may need it.
  func close() {
    file?.close()
    file = nil
  }
}
