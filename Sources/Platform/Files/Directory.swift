internal import Glibc

/// What a directory contains.
package enum Directory {
  /// Returns the names of its files without `.` and `..`, in the order of their bytes.
  ///
  /// If the path is a link, it is followed. If there are more than `most` names, it returns `most` + 1 of them. Throws why it can't be
  /// read.
  package static func names(in path: String, atMost most: Int) throws(SystemError) -> [String] {
    guard !FaultInjection.refuses(), let directory = opendir(path) else { throw .last("open", path) }
    defer { closedir(directory) }
    var names: [String] = []
    while names.count <= most {
      errno = 0
      guard let entry = FaultInjection.refuses() ? nil : readdir(directory) else {
        guard errno == 0 else { throw .last("read", path) }
        break
      }
      let name = FileTree.name(of: entry)
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
