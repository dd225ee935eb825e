internal import Glibc
internal import Libuv

/// A directory of ours alone, for sockets: made when it is first needed, and removed at the end.
final class PrivateDirectory {
  /// The longest parent under which a socket's name still fits its address.
  static let longestParent = 70

  private let parent: String
  /// Where it was made last.
  private(set) var made: String?

  /// - Parameter parent: where it is made; a path that is too long for sockets is replaced by `/tmp`.
  init(in parent: String) { self.parent = parent.utf8.count <= Self.longestParent ? parent : "/tmp" }

  deinit { remove() }

  /// Where it is. It is made anew where something that tidies up has removed it.
  ///
  /// - Throws: why it can't be made.
  func path() throws(SystemError) -> String {
    if let made, access(made, F_OK) == 0 { return made }
    var template = Array("\(parent)/initd-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError(call: "mkdtemp", errno: errno, subject: parent) }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    made = path
    return path
  }

  /// Removes it; it has to be empty.
  func remove() {
    guard let made else { return }
    rmdir(made)
    self.made = nil
  }
}
