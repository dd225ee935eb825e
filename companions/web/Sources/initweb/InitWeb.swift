internal import ArgumentParser
internal import CCommit

/// `initweb`: serves the state of a supervisor over HTTP.
@main struct InitWeb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "initweb",
    abstract: "Serve a live page, an API, probes and metrics of a supervisor (initd) over HTTP.",
    discussion: """
      Without a command, initweb serves.

      Exit status:
        0    success; for serve: after SIGTERM or SIGINT
        1    failed, e.g. the address to listen at is in use; for alarm: slower
        2    alarm: there aren't enough passes to compare with
        64   wrong usage
        66   the history can't be used
        69   record: no supervisor answers

      Examples:
        initweb --listen 127.0.0.1:8088
        initweb serve --socket /run/initd.sock --listen unix:/run/initweb.sock
        initweb serve --history /var/lib/initweb/history.db
        initweb alarm --history /var/lib/initweb/history.db --phase launch
      """,
    version: Version.line,
    subcommands: [ServeCommand.self, RecordCommand.self, HistoryCommand.self, AlarmCommand.self],
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
