import Glibc

/// A new directory that goes with what tests leave in it. Its path is short enough for sockets.
final class TemporaryDirectory: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/hosts-XXXXXX".utf8CString)
    precondition(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in names where unlink(self[name]) != 0 { rmdir(self[name]) }
    rmdir(path)
  }

  subscript(name: String) -> String { "\(path)/\(name)" }

  /// The names in it, sorted.
  var names: [String] { Self.names(in: path) }

  /// The names in a directory, sorted.
  static func names(in path: String) -> [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
