internal import Glibc

/// Makes paths absolute, so they mean the same for programs in other directories.
package enum WorkingDirectory {
  /// Returns the absolute path; the path itself if the path of the working directory is unknown.
  package static func absolute(_ path: String) -> String {
    guard let first = path.utf8.first, first != UInt8(ascii: "/"), let here = current else { return path }
    return here == "/" ? here + path : here + "/" + path
  }

  /// The path of the working directory; nil if it is unknown, or isn't UTF-8.
  package static var current: String? {
    guard let directory = getcwd(nil, 0) else { return nil }
    defer { free(directory) }
    return String(validatingCString: directory).flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
  }

  /// Returns a socket's absolute path; the path itself if the absolute one is too long for a socket.
  package static func absoluteSocket(_ path: String) -> String {
    let absolute = absolute(path)
    return absolute.utf8.count <= SocketAddress.maximumPathBytes ? absolute : path
  }
}
