internal import CLibuv
internal import Glibc

/// The environment that this process was started with.
public enum ProcessEnvironment {
  /// All variables; invalid UTF-8 is replaced. Empty if there is no memory for it.
  public static func variables() -> [String: String] {
    var items: UnsafeMutablePointer<uv_env_item_t>?
    var count: Int32 = 0
    guard uv_os_environ(&items, &count) == 0, let items else { return [:] }
    defer { uv_os_free_environ(items, count) }
    let pairs = (0..<Int(count)).map { (String(cString: items[$0].name), String(cString: items[$0].value)) }
    return Dictionary(pairs) { first, _ in first }
  }

  /// Whether a variable, if it is set, is UTF-8; if not, its text in ``variables()`` differs.
  package static func isText(_ name: String) -> Bool {
    getenv(name).map { String(validatingCString: $0) != nil } ?? true
  }

  /// The first of this process's arguments that isn't UTF-8, its bad bytes replaced; nil if there is none.
  package static func firstArgumentThatIsNoText() -> String? {
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = CommandLine.unsafeArgv[index], String(validatingCString: argument) == nil else { continue }
      return String(cString: argument)
    }
    return nil
  }
}
