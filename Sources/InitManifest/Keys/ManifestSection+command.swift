internal import InitDeclarations
internal import InitWords

extension ManifestSection {
  /// Returns the keys of both initializers and processes for their environment, their user and their share of the machine.
  static func commandRows<Declared: Sendable>(at path: ManifestKey.Path<Declared, Command>) -> [ManifestRow<
    Declared
  >] {
    [
      ManifestKey(
        "environment", .variables, usual: "none",
        "Variables of its environment. They override the variables of the whole manifest.",
        example: "environment: { TOKEN: x }"
      ).row(.work, at: path, \.environment) { $0.environment($1) },
      ManifestKey(
        "environmentFile", .paths, usual: "none",
        """
        Files with variables of its environment, as lines `NAME=value`, see [Variables](#variables). The `environment` beside it overrides \
        them, and they override the variables of the whole manifest.
        """, example: "environmentFile: [.env]"
      ).row(reading: { reader, field, _ in reader.checkEnvironmentFile(field) }),
      ManifestKey(
        "variables", .variableNames, usual: "all",
        """
        Which variables of the whole manifest's `environment` and `environmentFile` it gets: their names, in which `*` stands for any \
        characters. So a change of the others doesn't affect it.
        """, example: "variables: [PORT, \"DB_*\"]"
      ).row(.fromNextRun, at: path, \.variables) { $0.variableNames($1) },
      ManifestKey(
        "user", .user, usual: "the supervisor's", for: [.supervisor],
        """
        The user of the process, perhaps with a group: `www-data` or `www-data:www-data`, by names or numbers. The process gets the user's \
        groups, and `HOME`, `USER` and `LOGNAME` unless they are set in the manifest. For a number without a name, these are `/` and the \
        number. Only a supervisor that is root can do this.
        """, example: "user: www-data"
      ).row(.work, at: path, \.settings.user) { $0.user($1) },
      ManifestKey(
        "limits", .section(.limits), usual: "the supervisor's", for: [.supervisor],
        "Its resource limits, soft and hard.", example: "limits: { openFiles: 4096, memory: 512MiB, core: 0 }"
      ).row(.work, at: path, \.settings.limits) { $0.limits($1) },
      ManifestKey(
        "nice", .nice, usual: "the supervisor's", for: [.supervisor],
        "Its niceness: a process with a higher number gets less of a busy processor. Only root may lower it.",
        example: "nice: 10"
      ).row(.fromNextRun, at: path, \.settings.nice) { $0.nice($1) },
      ManifestKey(
        "output", .choice(["all"]), usual: "as `initd --output` says", for: [.supervisor],
        "`all` if each line of its output goes to the log at once, regardless of `initd --output`.",
        example: "output: all"
      ).row(.fromNextRun, at: path, \.settings.showsOutput) {
        $0.choice($1, of: Manifest.Output.self).map { $0 == .all }
      },
    ]
  }

  /// The names of an initializer's keys that only commands have.
  static let commandKeys = [
    "workingDirectory", "environment", "environmentFile", "variables", "stop", "unless", "user", "limits", "nice",
    "output",
  ]
}
