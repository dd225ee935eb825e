internal import Glibc
internal import InitWire
internal import Libuv
internal import Platform

/// Where a supervisor listens (protocol §1).
package enum SocketPath {
  /// The path by the protocol's rule: the one that is asked for, else `$INITD_SOCKET`, else `initd.sock` in
  /// `$XDG_RUNTIME_DIR`, else in `/run` for root. A variable that is empty counts as unset.
  ///
  /// Whether the path is one that the system takes is for connecting to tell: it is never cut short. A relative one is made absolute, if that
  /// fits: commands that it is handed to may run elsewhere.
  ///
  /// - Parameter asked: what `--socket` says, if anything.
  /// - Throws: `ClientError.noSocketPath` where nothing names one; `.unreachable` for a variable that isn't UTF-8.
  package static func resolve(asked: String? = nil) throws(ClientError) -> String {
    if asked == nil,
      let name = ["INITD_SOCKET", "XDG_RUNTIME_DIR"].first(where: { environmentVariable($0)?.isEmpty == false }),
      !ProcessEnvironment.isText(name)
    {
      let path = environmentVariable(name) ?? ""
      throw .unreachable(.system(path: path, SystemError(call: "$\(name) isn't UTF-8", errno: EILSEQ)))
    }
    return WorkingDirectory.absoluteSocket(
      try resolve(asked: asked, variable: environmentVariable, isRoot: geteuid() == 0))
  }

  /// The rule alone.
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
