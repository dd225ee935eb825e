/// The path of a supervisor's socket, by the rule of protocol §1.
package enum SocketRule {
  /// The variable with the path.
  ///
  /// A supervisor sets it for all of its children.
  package static let variable = "INITD_SOCKET"
  /// The variables that determine the path, in the order in which they are looked at.
  package static let variables = [variable, "XDG_RUNTIME_DIR"]

  /// Returns the path: the given path, else `$INITD_SOCKET`, else `initd.sock` in `$XDG_RUNTIME_DIR`, else in `/run` for root; `nil` if
  /// none applies.
  ///
  /// An empty variable counts as one that isn't set.
  ///
  /// The path isn't checked or truncated here; binding and connecting report an invalid one.
  package static func path(asked: String?, variable: (String) -> String?, isRoot: Bool) -> String? {
    if let asked { return asked }
    if let path = variable(Self.variable), !path.isEmpty { return path }
    if let directory = variable("XDG_RUNTIME_DIR"), !directory.isEmpty {
      return directory.hasSuffix("/") ? directory + "initd.sock" : directory + "/initd.sock"
    }
    return isRoot ? "/run/initd.sock" : nil
  }
}
