internal import Glibc

/// A directory of ours alone, for sockets and files that children leave: made when it is first needed, and removed at the end.
package final class PrivateDirectory {
  /// The longest parent under which a socket's name still fits its address.
  package static let longestParent = 70

  /// Where it is made if it can't be where it was to be.
  private static let last = "/tmp"

  private let parent: String
  /// Where it was made last.
  package private(set) var made: String?

  /// - Parameter parent: where it is made; `/tmp` takes the place of one that is too long for sockets, or can't be written in.
  package init(in parent: String) { self.parent = parent.utf8.count <= Self.longestParent ? parent : Self.last }

  deinit { remove() }

  /// Where it is. It is made anew where something that tidies up has removed it.
  ///
  /// - Throws: why it can't be made.
  package func path() throws(SystemError) -> String {
    if let made, access(made, F_OK) == 0 { return made }
    do throws(SystemError) {
      return try make(in: parent)
    } catch  where parent != Self.last {
      // It may be full, or be taken away.
      if let path = try? make(in: Self.last) { return path }
      throw error
    }
  }

  private func make(in parent: String) throws(SystemError) -> String {
    var template = Array("\(parent)/initd-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError(call: "mkdtemp", errno: errno, subject: parent) }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    made = path
    return path
  }

  /// Removes it, and whatever was left in it.
  package func remove() {
    guard let made else { return }
    self.made = nil
    if rmdir(made) != 0, errno == ENOTEMPTY { FileTree.remove(made) }
  }
}
