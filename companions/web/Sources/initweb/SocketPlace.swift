internal import Glibc

/// The file that a socket's path leads to, which another supervisor may replace.
///
/// While a connection to it lasts, the system gives its number to no other file.
struct SocketPlace: Equatable {
  private let device: dev_t
  private let number: ino_t

  /// Looks at the path; nil if it leads nowhere.
  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    number = status.st_ino
  }
}
