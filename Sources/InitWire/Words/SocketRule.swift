/// Where a supervisor listens, by the rule of protocol §1.
public enum SocketRule {
  /// The path: the one that is asked for, else `$INITD_SOCKET`, else `initd.sock` in `$XDG_RUNTIME_DIR`, else in `/run` for root;
  /// `nil` where nothing names one. A variable that is empty counts as unset.
  ///
  /// Whether the system takes the path is for binding and connecting to tell: it is never cut short.
  public static func path(asked: String?, variable: (String) -> String?, isRoot: Bool) -> String? {
    if let asked { return asked }
    if let path = variable("INITD_SOCKET"), !path.isEmpty { return path }
    if let directory = variable("XDG_RUNTIME_DIR"), !directory.isEmpty {
      return directory.hasSuffix("/") ? directory + "initd.sock" : directory + "/initd.sock"
    }
    return isRoot ? "/run/initd.sock" : nil
  }
}
