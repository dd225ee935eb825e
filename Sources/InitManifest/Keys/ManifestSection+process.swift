extension ManifestSection {
  /// The keys of a process to keep running.
  static let processKeys = [
    ManifestKey(
      "command", .command, usual: nil,
      "The program to run and its arguments. A list is run as it is; a text is run by `/bin/sh -c`.",
      example: "command: [python3, shelf_worker.py]"),
    ManifestKey(
      "restart", .choice(["onFailure", "always", "never"]), usual: "`onFailure`",
      "When it is started again: `onFailure` if its exit status wasn't 0, or a signal ended it.",
      example: "restart: always"),
    ManifestKey(
      "backoff", .section(.backoff), usual: "`{ delay: 1s, factor: 2, maxDelay: 30s }`",
      "The pauses between its starts. A longer life makes the pause short again.",
      example: "backoff: { delay: 500ms, maxDelay: 10s }"),
    ManifestKey(
      "workingDirectory", .word, usual: "the manifest's directory",
      "Its directory. A relative path starts at the manifest's directory.", example: "workingDirectory: ./state"),
    ManifestKey(
      "environment", .variables, usual: "none",
      "Variables of its environment. They override those of the whole manifest.", example: "environment: { TOKEN: x }"),
    ManifestKey(
      "environmentFile", .paths, usual: "none",
      """
      Files with variables of its environment, as lines `NAME=value`, see [Variables](#variables). The `environment` beside it overrides \
      them, and they override the variables of the whole manifest.
      """, example: "environmentFile: [.env]"),
    ManifestKey(
      "profiles", .names, usual: "always part of the manifest", for: [.supervisor],
      """
      The process is part of the manifest only if one of these profiles is selected, with `initd --profile`.
      """, example: "profiles: [dev]"),
    ManifestKey(
      "user", .user, usual: "the supervisor's", for: [.supervisor],
      """
      The user that it runs as, perhaps with a group: `www-data` or `www-data:www-data`, by names or numbers. It gets the user's groups, and \
      `HOME`, `USER` and `LOGNAME` unless they are set in the manifest. Only a supervisor that is root can do this.
      """, example: "user: www-data"),
    ManifestKey(
      "limits", .section(.limits), usual: "the supervisor's", for: [.supervisor],
      "Its resource limits, soft and hard.", example: "limits: { openFiles: 4096, memory: 512MiB, core: 0 }"),
    ManifestKey(
      "nice", .nice, usual: "the supervisor's", for: [.supervisor],
      "Its niceness: a process with a higher number gets less of a busy processor. Only root may lower it.",
      example: "nice: 10"),
    ManifestKey(
      "description", .text, usual: "none", "What it is for, in a sentence for people.",
      example: "description: Serves the catalogue."),
  ]
}
