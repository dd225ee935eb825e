internal import ArgumentParser
internal import CCommit

/// `initweb`: serves what a supervisor does over HTTP.
@main struct InitWeb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "initweb",
    abstract: "Serve probes and metrics of a supervisor (initd) over HTTP.",
    discussion: """
      Without a command, initweb serves.

      Exit status:
        0    success; for serve: after SIGTERM or SIGINT
        1    failed, e.g. the address to listen at is in use
        64   wrong usage

      Examples:
        initweb --listen 127.0.0.1:8088
        initweb serve --socket /run/initd-observe.sock --listen unix:/run/initweb.sock
      """,
    version: Version.line,
    subcommands: [ServeCommand.self],
    defaultSubcommand: ServeCommand.self)
}

/// The version of this program.
enum Version {
  static let number = "0.1.0"
  /// The program, its version, the commit, and the architecture.
  static let line = "initweb \(number) (commit \(String(cString: initweb_commit())), \(architecture))"

  #if arch(x86_64)
    private static let architecture = "x86_64"
  #elseif arch(arm64)
    private static let architecture = "aarch64"
  #endif
}
