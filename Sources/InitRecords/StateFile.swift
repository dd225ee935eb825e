internal import EventLoop
internal import InitText
internal import InitTimeline
internal import Logging
internal import Platform

/// A file in the state directory, to which lines are appended.
///
/// If the file can't be written, e.g. because the disk is full, the log says so once, and the whole file is written again every two seconds
/// until that works. The log also says when it works again.
final class StateFile {
  /// The pause between two attempts to write the whole file.
  private static let pause = Duration.seconds(2)

  /// Why the file isn't written; nil if it is written.
  private(set) var unwritten: String?

  private let context: RecordsContext
  private let journal: JournalFile
  private let name: String
  private let consequence: String
  private let contents: () -> [UInt8]
  private let retry: EventLoop.Timer

  /// Writes the contents to a file, and keeps them there.
  ///
  /// `name` is the file's name in the log and in Status. `consequence` is the effect of an unwritten file on the next supervisor, for the
  /// log. `contents` returns everything that it must contain.
  init(
    _ context: RecordsContext, _ journal: JournalFile, name: String, consequence: String,
    contents: @escaping () -> [UInt8]
  ) {
    self.context = context
    self.journal = journal
    self.contents = contents
    self.name = name
    self.consequence = consequence
    retry = Timer(loop: context.loop, name: name)
    if let aside = journal.lockAside {
      context.logger.warning("the lock of \(name) \(journal.path).lock wasn't a lock; it was renamed to \(aside)")
    }
    rewrite()
  }

  /// Whether there is no file, because ``remove()`` removed it.
  var isRemoved: Bool { journal.isRemoved }

  /// Appends lines that the contents already include.
  ///
  /// Appends lines; if that fails, or the file would get too large, writes the whole file.
  ///
  /// `most` is the largest size of the file in bytes before it is compacted. Returns whether they were written. If the file is unwritten,
  /// they are only written later, with the whole file.
  @discardableResult
  func append(_ lines: [UInt8], within most: Int) -> Bool {
    guard unwritten == nil else { return false }
    if journal.size + lines.count <= most, (try? journal.append(lines)) != nil { return true }
    return rewrite()
  }

  /// Writes the whole file.
  ///
  /// - Returns: whether that worked.
  @discardableResult
  func rewrite() -> Bool {
    do throws(SystemError) {
      try journal.replace(with: contents())
      if unwritten != nil { context.logger.info("\(name) \(journal.path) can be written again") }
      unwritten = nil
      retry.stop()
      return true
    } catch {
      let why = "\(name) is not written: \(error); \(consequence)"
      if unwritten == nil {
        context.logger.error("\(why); it is tried again every \(Phrases.duration(Self.pause.inSeconds))")
      }
      unwritten = why
      retry.start(after: Self.pause) { [weak self] in self?.rewrite() }
      return false
    }
  }

  /// Renames the file, in which there is damage, and writes the contents again.
  ///
  /// - Returns: the outcome, for the log.
  func replaceDamaged() -> String {
    let outcome: String
    do throws(SystemError) { outcome = "it was renamed to \(try journal.putAside())" } catch { outcome = "\(error)" }
    rewrite()
    return outcome
  }

  /// Removes the file, because it is outdated and can't be written.
  func remove() { journal.remove() }

  /// Closes the file, which must not be used afterwards.
  ///
  /// If the state isn't written yet, tries once more, because there may be space now.
  func close() {
    if unwritten != nil { rewrite() }
    retry.close()
  }
}
