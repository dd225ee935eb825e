internal import CommandLineOptions
internal import Glibc
internal import InitText
internal import InitWire
internal import Platform

/// A command of somebody else: the program `initctl-NAME` beside this one, or in PATH.
enum Plugin {
  private static let prefix = "initctl-"

  /// Returns the path of the program for a command; nil if there is none.
  static func path(of name: String) -> String? {
    guard !name.isEmpty, !name.contains("/"), !name.hasPrefix("-") else { return nil }
    return directories.lazy.map { "\($0)/\(prefix)\(name)" }.first(where: isProgram)
  }

  /// The names of all such commands, sorted.
  static var names: [String] {
    let found = directories.flatMap { directory in
      ((try? Directory.names(in: directory, atMost: 100_000)) ?? [])
        .filter { $0.hasPrefix(prefix) && isProgram("\(directory)/\($0)") }
    }
    return Set(found.map { String($0.dropFirst(prefix.count)) }).subtracting([""]).sorted()
  }

  /// Replaces this process by the program, with the socket in `INITD_SOCKET` that a command would have used.
  ///
  /// - Throws: the exit status if it can't be executed.
  static func replaceThisProcess(_ name: String, _ arguments: [String], _ options: ConnectionOptions) throws -> Never {
    guard let path = path(of: name) else { throw UsageError("unknown command \"\(name)\"") }
    if options.project != nil || options.socket != nil {
      setenv(SocketRule.variable, try SupervisorAddress(options).path, 1)
    } else if let socket = try? SupervisorAddress(options).path {
      setenv(SocketRule.variable, socket, 1)
    }
    signal(SIGPIPE, SIG_DFL)
    ([path] + arguments).withArguments { _ = execv(path, $0) }
    let error = SystemError.last("execute", path)
    Console.complain("cannot execute \(path): \(error.reason)")
    throw ProgramStatus(error.errno == ENOENT ? 127 : 126)
  }

  private static var directories: [String] {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    return [ManifestProgram.ownDirectory].compactMap(\.self)
      + path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
  }

  private static func isProgram(_ path: String) -> Bool {
    FileIdentity(behind: path)?.isRegular == true && access(path, X_OK) == 0
  }
}
