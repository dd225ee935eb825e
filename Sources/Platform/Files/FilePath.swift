/// The parts of a file's path, as text: nothing is looked up.
package enum FilePath {
  /// Returns the directory of an absolute path; `/` for files in it, and for itself.
  package static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
    return String(path[..<slash])
  }

  /// Returns the last name of a path; the path itself if it has none.
  package static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
