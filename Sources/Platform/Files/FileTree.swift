package import Glibc

/// A file or a directory with all its contents.
package enum FileTree {
  /// The maximum depth of directories.
  private static let greatestDepth = 64

  /// Removes the file or directory, if it exists.
  ///
  /// Links are removed, not followed.
  package static func remove(_ path: String) { remove(path, in: AT_FDCWD, depth: 0) }

  private static func remove(_ name: String, in parent: Int32, depth: Int) {
    guard unlinkat(parent, name, 0) != 0, errno == EISDIR, depth < greatestDepth else { return }
    defer { unlinkat(parent, name, AT_REMOVEDIR) }
    let number = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard number >= 0 else { return }
    guard let directory = fdopendir(number) else {
      close(number)
      return
    }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let found = self.name(of: entry)
      if found != ".", found != ".." { remove(found, in: number, depth: depth + 1) }
    }
  }

  /// Returns a directory entry's name.
  package static func name(of entry: UnsafeMutablePointer<dirent>) -> String {
    // The name is a C array in the entry, as long as the name.
    let start = UnsafeRawPointer(entry).advanced(by: MemoryLayout<dirent>.offset(of: \.d_name) ?? 0)
    return String(cString: start.assumingMemoryBound(to: CChar.self))
  }
}
