internal import EventLoop
internal import Glibc
internal import InitModel
internal import InitWire
internal import Platform

/// The path of a supervisor's socket.
package enum SocketPath {
  /// Returns the path by the protocol's rule: the given path, else `$INITD_SOCKET`, else `initd.sock` in `$XDG_RUNTIME_DIR`, else in `/run`
  /// for root.
  ///
  /// An empty variable counts as unset.
  ///
  /// The path is never truncated; connecting fails if the system doesn't accept it. A relative path is made absolute, if the result isn't
  /// too long, because it is passed to commands that may run in another directory.
  ///
  /// `asked` is the value of `--socket`, if given. Throws `ClientError.noSocketPath` if there is no path; `.unreachable` if a variable
  /// isn't UTF-8.
  package static func resolve(asked: String? = nil) throws(ClientError) -> String {
    if asked == nil, let name = ProcessEnvironment.firstSetThatIsNoText(of: SocketRule.variables) {
      let path = environmentVariable(name) ?? ""
      throw .unreachable(.system(path: path, SystemError(call: "$\(name) isn't UTF-8", errno: EILSEQ)))
    }
    return WorkingDirectory.absoluteSocket(
      try resolve(asked: asked, variable: environmentVariable, isRoot: geteuid() == 0))
  }

  /// Applies the rule to the given variables.
  static func resolve(
    asked: String?, variable: (String) -> String?, isRoot: Bool
  ) throws(ClientError) -> String {
    guard let path = SocketRule.path(asked: asked, variable: variable, isRoot: isRoot) else { throw .noSocketPath }
    return path
  }

  private static func environmentVariable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
