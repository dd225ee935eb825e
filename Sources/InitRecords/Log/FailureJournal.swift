internal import EventLoop
internal import InitTimeline
internal import Logging
internal import Platform

/// The output of failed attempts in the state directory: the last lines of each initializer's newest failed attempt are also known after a
/// restart.
///
/// A failure is recorded before clients are notified of it. Output that is read later is recorded a moment later. With `--output none`, the
/// journal records nothing.
final class FailureJournal {
  private static let fileName = "failures"
  /// The maximum size of the file in bytes.
  private static let limit = 64 << 20
  /// The maximum number of stale bytes, beyond the size of the current contents, before compaction.
  private static let slack = 1 << 20
  /// How long later output waits to be recorded.
  private static let pause = Duration.milliseconds(100)

  /// Returns the kept output of a name; nil if nothing is kept.
  var output: (String) -> FailedOutput? = { _ in nil }
  /// The names for which something may be kept.
  var names: () -> [String] = { [] }

  private let context: RecordsContext
  private var file: StateFile?
  /// The size of each name's last line in the file.
  private var sizes: [String: Int] = [:]
  private var size = 0
  /// The names for which the kept lines differ from the recorded ones.
  private var late: Set<String> = []
  private let timer: EventLoop.Timer
  /// The damage of the file at the start; nil if there was none.
  private(set) var damage: String?

  init(_ context: RecordsContext) {
    self.context = context
    timer = Timer(loop: context.loop, name: "late output")
  }

  /// Why the file isn't written; nil if it is written.
  var unwritten: String? { file?.unwritten }

  /// Opens the file.
  ///
  /// `keep` gets the output of earlier failures; later records are read from ``output``. Throws an error if the state directory can't be
  /// used.
  func recall(_ keep: ([FailedOutput]) -> Void) throws(JournalError) {
    guard let directory = context.settings.stateDirectory else { return }
    let journal = try JournalFile(Self.fileName, in: directory, limit: Self.limit)
    guard context.settings.outputInLog != .none else {
      if (try? journal.replace(with: [])) == nil { journal.remove() }
      return
    }
    let (outputs, damaged) = FailedOutput.read(journal.contents ?? [])
    keep(outputs)
    let fault = journal.doubt.map { "was ignored: \($0)" } ?? (damaged == 0 ? nil : Self.damage(damaged))
    if let fault {
      let aside: String
      do { aside = try journal.putAside() } catch { throw .system(error) }
      damage = "the file of failures \(fault); it was renamed to \(aside)"
      context.logger.warning("\(damage ?? "")")
    }
    file = StateFile(
      context, journal, name: "the file of failures",
      consequence: "after a restart the output of failed attempts since then is unknown",
      contents: { [unowned self] in text() })
  }

  private static func damage(_ count: Int) -> String {
    "was damaged: the output of \(count == 1 ? "1 failed attempt" : "\(count) failed attempts") is unknown"
  }

  /// Returns the contents of the file.
  private func text() -> [UInt8] {
    sizes = [:]
    size = 0
    return names().reduce(into: []) { text, name in
      guard let line = output(name)?.text else { return }
      recordSize(line.count, of: name)
      text += line
    }
  }

  private func recordSize(_ bytes: Int?, of name: String) {
    size += (bytes ?? 0) - (sizes[name] ?? 0)
    sizes[name] = bytes
  }

  /// Records the output that is now kept of a name.
  func record(_ name: String) {
    late.remove(name)
    guard let file else { return }
    let kept = output(name)
    guard kept != nil || sizes[name] != nil else { return }
    let line = (kept ?? FailedOutput(nothingOf: name)).text
    recordSize(kept == nil ? nil : line.count, of: name)
    file.append(line, within: min(2 * size + Self.slack, Self.limit))
  }

  /// Records a name soon, because its failed attempt has written more, or gave up lines to others.
  func recordLater(_ name: String) {
    guard file != nil else { return }
    late.insert(name)
    if !timer.isActive { timer.start(after: Self.pause) { [unowned self] in recordLate() } }
  }

  private func recordLate() {
    for name in late.sorted() { record(name) }
  }

  /// Closes the file, because the next supervisor may need it.
  func close() {
    recordLate()
    timer.close()
    file?.close()
    file = nil
  }
}
