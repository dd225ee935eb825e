internal import Glibc

/// A directory of ours alone, made when it is first needed and removed at the end.
final class PrivateDirectory {
  private let parent: String
  private var made: String?

  init(in parent: String) { self.parent = parent }

  /// Where it is; `nil` if it can't be made.
  var path: String? {
    if made == nil {
      var template = Array("\(parent)/initd-XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else { return nil }
      made = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    return made
  }

  /// Removes it; it has to be empty.
  func remove() {
    guard let made else { return }
    rmdir(made)
    self.made = nil
  }
}
