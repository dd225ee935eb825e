internal import Glibc

/// Paths as they are from any directory: what is handed to other programs means the same to them.
package enum WorkingDirectory {
  /// A path from the root; the path itself if the working directory has no path that can be told.
  package static func absolute(_ path: String) -> String {
    guard let first = path.utf8.first, first != UInt8(ascii: "/"), let directory = getcwd(nil, 0) else { return path }
    defer { free(directory) }
    guard let here = String(validatingCString: directory), here.utf8.first == UInt8(ascii: "/") else { return path }
    return here == "/" ? here + path : here + "/" + path
  }

  /// A socket's path from the root; the path itself where that is longer than a socket's may be.
  package static func absoluteSocket(_ path: String) -> String {
    let absolute = absolute(path)
    return absolute.utf8.count <= SocketAddress.maximumPathBytes ? absolute : path
  }
}
