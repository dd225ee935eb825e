package import Glibc
import Platform

/// A new directory, which is removed with its contents.
///
/// The directory's path is short enough for sockets.
package final class TemporaryDirectory: Sendable {
  /// Where it is.
  package let path: String

  /// Creates the directory in `/tmp`; traps if that fails.
  package init() {
    var template = Array("/tmp/tests-XXXXXX".utf8CString)
    precondition(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { FileTree.remove(path) }

  /// The path of a file in the directory.
  package subscript(name: String) -> String { "\(path)/\(name)" }

  /// The names in the directory, sorted.
  package var names: [String] { Self.names(in: path) }

  /// The names in a directory, sorted.
  package static func names(in path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) { names.append(FileTree.name(of: entry)) }
    return names.filter { $0 != "." && $0 != ".." }.sorted()
  }

  /// Writes a file; returns its path.
  ///
  /// Another process writes it: a child that is being started at this moment would hold our descriptor for a while, and
  /// a file that is open for writing can't be executed.
  @discardableResult
  package func write(_ name: String, _ text: String, mode: mode_t = 0o644) -> String {
    let script = "printf %s \"$1\" > \"$2\" && chmod \(String(mode, radix: 8)) \"$2\""
    precondition((try? run(["/bin/sh", "-c", script, "sh", text, self[name]])) == 0)
    return self[name]
  }
}
