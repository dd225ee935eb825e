package import InitModel

/// The files from which a configuration was read.
package struct SourceFiles: Hashable, Sendable {
  /// Their paths, as they are shown; relative ones start at ``directory``.
  package var paths: [String] = []
  /// The directory at which relative paths start.
  package var directory = ""
  /// The absolute paths of the files that the user has named, without their includes.
  package var manifest: [String] = []
  /// All of them, as a Status has them.
  package var sources: [Status.Source] = []

  /// The key of the hashes: different in each process, so that nobody without it can guess the contents of a file by them.
  package static let key = (0..<4).reduce("") { text, _ in text + String(UInt64.random(in: .min ... .max), radix: 36) }

  /// There are none.
  package init() {}
}
