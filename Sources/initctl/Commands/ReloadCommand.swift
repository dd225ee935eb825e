internal import CommandLineOptions
internal import InitClient
internal import InitModel
internal import InitText
internal import InitWire
internal import Platform

/// `reload`: has the supervisor read its manifest again.
struct ReloadCommand: SupervisorCommand {
  static let help = CommandHelp(
    "reload", "Read the manifest again, and apply the changes.",
    discussion: """
      The supervisor reads its manifest again, compares it with the previous one, and prints the differences: + added, ~ changed, with \
      the keys in parentheses (and the variables of environment), - removed, = unchanged. A manifest with mistakes changes nothing: they are printed on standard error, and \
      the exit status is 65, or 66 if it can't be read.

      Added initializers run at once, if their phase has completed. Removed initializers are stopped and forgotten. A launch initializer \
      whose work has changed (e.g. its command, environment, workingDirectory, user, limits, waitFor, dependencies or phase) runs again \
      in a launch pass; if it is running, it finishes first. If it failed, it runs with the next initctl launch. Its dependents then \
      become stale, unless --with-dependents also runs them again. Other keys, e.g. timeout and retry, hold from the next run on. A \
      process under workers whose work has changed is restarted; another target of its ready holds from the next check on.

      SIGHUP also makes initd reload, unless it has an app.

      Examples:
        initctl reload
        initctl reload --dry-run
        initctl reload --with-dependents && initctl wait ready
      """)

  private var dryRun = false
  private var withDependents = false
  private var json = false
  private(set) var connection = ConnectionOptions()

  mutating func visit(_ options: inout Options) throws(UsageError) {
    try options.flag("dry-run", &dryRun, help: "Only print the changes that would be made.")
    try options.flag(
      "with-dependents", &withDependents, help: "Also run the dependents of initializers that run again.")
    try options.flag("json", &json, help: "Print the result as one JSON object, as in the protocol.")
    try connection.visit(&options)
  }

  func run(on client: Client) async throws -> ProgramStatus {
    let result: ConfigurationChanges
    do throws(ClientError) {
      result = try await client.send(ReloadRequest(dryRun: dryRun, withDependents: withDependents))
    } catch {
      guard case .refused(let refusal) = error, case .findings(let findings) = refusal.detail else { throw error }
      Console.explain(findings.map { TerminalText.escape("\($0)") })
      throw error
    }
    Console.explain(result.warnings.map { TerminalText.escape("\($0)") })
    if json {
      try Console.write(JSONLine.line(result))
    } else {
      try Console.write(lines(of: result).map { $0 + "\n" }.joined())
      for change in result.fromNextRun {
        Console.complain("\(change.words): holds from the next run on")
      }
      if !result.settings.isEmpty {
        let verb = dryRun ? "would change" : "changed"
        Console.complain("settings that \(verb): \(result.settings.joined(separator: ", "))")
      }
    }
    if !dryRun, let status = try? await client.status(), status.launch.state == .failed {
      Console.complain("launch has failed; initctl launch runs what isn't complete")
    }
    return .success
  }

  private func lines(of result: ConfigurationChanges) -> [String] {
    let texts =
      result.added.map { "+ \($0)" } + result.changed.map { "~ \($0.words)" } + result.removed.map { "- \($0)" }
    return texts.map { TerminalText.escape($0) } + ["= \(result.unchanged) unchanged"]
  }
}
