/// The path of a supervisor's socket, by the rule of protocol §1.
public enum SocketRule {
  /// The path: the given one, else `$INITD_SOCKET`, else `initd.sock` in `$XDG_RUNTIME_DIR`, else in `/run` for root; `nil` if there is
  /// none. An empty variable counts as unset.
  ///
  /// The path isn't checked or truncated here; binding and connecting report an invalid one.
  public static func path(asked: String?, variable: (String) -> String?, isRoot: Bool) -> String? {
    if let asked { return asked }
    if let path = variable("INITD_SOCKET"), !path.isEmpty { return path }
    if let directory = variable("XDG_RUNTIME_DIR"), !directory.isEmpty {
      return directory.hasSuffix("/") ? directory + "initd.sock" : directory + "/initd.sock"
    }
    return isRoot ? "/run/initd.sock" : nil
  }
}
