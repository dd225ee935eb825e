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
      "profiles", .names, usual: "always part of the manifest", for: [.supervisor],
      """
      The process is part of the manifest only if one of these profiles is selected, with `initd --profile`.
      """, example: "profiles: [dev]"),
    ManifestKey(
      "description", .text, usual: "none", "What it is for, in a sentence for people.",
      example: "description: Serves the catalogue."),
  ]
}
