internal import EventLoop
internal import InitTimeline
internal import Logging
internal import Platform

/// What is done once: the completions of initializers with `once: ever`, which count after the system was started again (S37).
///
/// A completion is recorded only when everything that was written before it is on the disk, and dropped from the disk before its initializer
/// runs again. So whatever is lost in a power cut, nothing counts as done that wasn't.
final class EverRecord {
  private let context: RecordsContext
  private let journal: JournalFile
  private let place: DirectoryPlace
  /// The completions by name, with the time of the system's clock.
  private var entries: [String: LaunchRecord.Entry] = [:]
  /// The completions that are recorded once the disk has everything before them.
  private var pending: [String: LaunchRecord.Entry] = [:]
  private var isSyncing = false
  /// Why the file isn't written; `nil` if it is.
  private(set) var unwritten: String?

  /// Reads the file; records of another place, and damaged ones, don't count.
  ///
  /// - Throws: an error if the state directory can't be used.
  init(_ context: RecordsContext, in directory: String) throws(JournalError) {
    self.context = context
    journal = try JournalFile(EverHeader.fileName, in: directory, limit: EverHeader.limit)
    do { place = try DirectoryPlace(of: directory) } catch { throw .system(error) }
  }

  /// Whether the state directory is in memory, so nothing in it is left after the system was started again.
  var isInMemory: Bool { place.isInMemory }

  /// Returns the recorded completions, with the time in milliseconds since this boot.
  func recall() -> [LaunchRecord.Entry] {
    if let doubt = journal.doubt { ignore(doubt) }
    guard let contents = journal.contents, !contents.isEmpty else { return [] }
    let lines = contents.split(separator: UInt8(ascii: "\n"))
    guard let header = lines.first.flatMap({ EverHeader(checked: $0) }) else {
      ignore("it is damaged in line 1")
      return []
    }
    guard header.counts(on: place.machine, in: place.directory) else {
      ignore(
        "it was written on another machine, or in another directory; to make a copy count, run initctl state adopt before initd"
      )
      return []
    }
    var found: [LaunchRecord.Entry] = []
    for (number, line) in lines.enumerated().dropFirst() {
      guard let entry = LaunchRecord.Entry(checked: line), entry.isComplete else {
        ignore("it is damaged in line \(number + 1)")
        return []
      }
      found.append(entry)
    }
    entries = Dictionary(found.map { ($0.name, $0) }) { _, last in last }
    let isBehind = SystemClock.milliseconds < header.seen
    if isBehind { context.logger.warning("the system's clock was set back: what is fresh for a time runs again") }
    let toBoot = Self.milliseconds(BootClock.now) - SystemClock.milliseconds
    return entries.values.sorted { $0.name < $1.name }.map { entry in
      var entry = entry
      // A completion in the future isn't fresh for any time.
      entry.completed = entry.completed.map { isBehind ? Int.max >> 20 : $0 + toBoot }
      return entry
    }
  }

  private func ignore(_ why: String) {
    context.logger.warning("the file of what is done once is ignored: \(why)")
    if (try? journal.putAside()) == nil { journal.remove() }
  }

  /// Whether a completion is recorded.
  func contains(_ name: String) -> Bool { entries[name] != nil }

  /// Records a completion, once the disk has what was written before it.
  func record(_ entry: LaunchRecord.Entry) {
    guard let completed = entry.completed else { return }
    var entry = entry
    entry.completed = completed + SystemClock.milliseconds - Self.milliseconds(BootClock.now)
    pending[entry.name] = entry
    if !isSyncing { sync() }
  }

  private func sync() {
    isSyncing = true
    let synced = pending
    context.loop.performInThread {
      Disks.sync()
    } then: { [weak self] _ in
      guard let self else { return }
      isSyncing = false
      commit(synced)
      if !pending.isEmpty { sync() }
    }
  }

  /// Records what was synced, unless it was dropped or done again in the meantime.
  private func commit(_ synced: [String: LaunchRecord.Entry]) {
    let done = synced.filter { pending[$0.key] == $0.value }
    guard !done.isEmpty else { return }
    for name in done.keys { pending[name] = nil }
    entries.merge(done) { _, new in new }
    write()
  }

  /// Drops a completion, before its initializer runs again.
  func drop(_ name: String) {
    pending[name] = nil
    if entries.removeValue(forKey: name) != nil { write() }
  }

  /// Writes the file; if that isn't possible, removes it, so nothing counts that was dropped.
  private func write() {
    let header = EverHeader(machine: place.machine, directory: place.directory, seen: SystemClock.milliseconds)
    let lines = [header.checked] + entries.values.sorted { $0.name < $1.name }.map(\.checked)
    do throws(SystemError) {
      try journal.replace(with: lines.flatMap { $0 + [UInt8(ascii: "\n")] }, isDurable: true)
      unwritten = nil
    } catch {
      journal.remove()
      let why = "the file of what is done once is not written: \(error); after the next boot it is done again"
      if unwritten == nil { context.logger.error("\(why)") }
      unwritten = why
    }
  }

  /// Records what is still pending, and the time.
  func close() {
    guard !pending.isEmpty || !entries.isEmpty else { return }
    if !pending.isEmpty { Disks.sync() }
    entries.merge(pending) { _, new in new }
    pending = [:]
    write()
  }

  private static func milliseconds(_ duration: Duration) -> Int { Int(duration / .milliseconds(1)) }
}
