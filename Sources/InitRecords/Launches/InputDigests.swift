/// The files of an initializer's inputs, each with a part of the hash of its contents, to name those that have changed: a value.
///
/// Whether an initializer is fresh depends on its whole fingerprint, not on this.
package struct InputDigests: Equatable, Sendable {
  /// The maximum number of files; more aren't kept, and not named.
  static let most = 1000
  /// The maximum size of all paths together, in bytes.
  static let mostBytes = 64 << 10
  /// The number of digits of a hash.
  private static let digits = 8

  /// The first digits of each file's hash, by path.
  private var files: [String: String] = [:]
  private var bytes = 0
  /// Whether there were too many files.
  private var isIncomplete = false

  package init() {}

  /// Reads the recorded lines.
  init(_ lines: [String]) {
    for line in lines { add(String(line.dropFirst(Self.digits + 1)), hash: String(line.prefix(Self.digits))) }
  }

  /// Adds a file with the hash of its contents in hexadecimal digits, of which the first are kept.
  package mutating func add(_ path: String, hash: String) {
    guard !isIncomplete else { return }
    files[path] = String(hash.prefix(Self.digits))
    bytes += path.utf8.count + Self.digits
    guard files.count > Self.most || bytes > Self.mostBytes else { return }
    files = [:]
    isIncomplete = true
  }

  /// The lines to record: a hash, a space and a path; nil if there are no files, or too many.
  var lines: [String]? {
    files.isEmpty ? nil : files.sorted { $0.key < $1.key }.map { "\($1) \($0)" }
  }

  /// Returns the files that were added, removed or changed since then, sorted; nil if that isn't known.
  func differences(from earlier: InputDigests) -> [String]? {
    guard lines != nil, earlier.lines != nil else { return nil }
    return Set(files.keys).union(earlier.files.keys).filter { files[$0] != earlier.files[$0] }.sorted()
  }
}
