internal import CLibuv

/// The environment that this process was started with.
public enum ProcessEnvironment {
  /// All of it; a byte that isn't UTF-8 is replaced. Empty if there is no memory for it.
  public static func variables() -> [String: String] {
    var items: UnsafeMutablePointer<uv_env_item_t>?
    var count: Int32 = 0
    guard uv_os_environ(&items, &count) == 0, let items else { return [:] }
    defer { uv_os_free_environ(items, count) }
    let pairs = (0..<Int(count)).map { (String(cString: items[$0].name), String(cString: items[$0].value)) }
    return Dictionary(pairs) { first, _ in first }
  }
}
