internal import InitJSON
internal import InitTimeline
internal import Logging
internal import Platform

/// The ports in the state directory: the next supervisor chooses the same ones if they are free (S36).
package final class PortRecord {
  private static let fileName = "ports"
  /// The maximum size of the file in bytes.
  private static let limit = 1 << 20

  private let context: RecordsContext
  private var file: StateFile?
  /// The numbers by name: at first those of the supervisor before.
  package private(set) var numbers: [String: Int] = [:]

  init(_ context: RecordsContext) { self.context = context }

  /// Reads the file; what can't be read is ignored, because another port is as good.
  ///
  /// - Throws: an error if the state directory can't be used.
  func recall() throws(JournalError) {
    guard let directory = context.settings.stateDirectory else { return }
    let journal = try JournalFile(Self.fileName, in: directory, limit: Self.limit)
    if let contents = journal.contents, let json = try? RawJSON(checking: contents) {
      numbers = json.members.compactMapValues { $0.integer.flatMap { 1...65_535 ~= $0 ? Int($0) : nil } }
    }
    file = StateFile(
      context, journal, name: "the file of ports",
      consequence: "after a restart other ports may be chosen",
      contents: { [unowned self] in text })
  }

  /// Records the numbers.
  package func record(_ numbers: [String: Int]) {
    guard numbers != self.numbers else { return }
    self.numbers = numbers
    file?.rewrite()
  }

  private var text: [UInt8] { (try? numbers.json()) ?? [] }

  func close() { file?.close() }
}
