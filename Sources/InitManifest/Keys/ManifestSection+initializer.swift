extension ManifestSection {
  /// The keys of an initializer.
  static let initializerKeys = [
    ManifestKey(
      "command", .command, usual: "required, except with `worker` or `waitFor`",
      """
      The program to run and its arguments. A list is run as it is; a text is run by `/bin/sh -c`. Exit status 0 is success. It has an \
      empty standard input.
      """, example: "command: [./migrate, --all]"),
    ManifestKey(
      "worker", .worker, usual: "`false`", for: [.supervisor],
      """
      `true` if a worker registers the initializer over the socket and runs it; the initializer then has no `command`. Or the name of the \
      process of `workers` that registers it. While that process lives, the initializer's `timeout` bounds the wait for its registration \
      instead of `registrationTimeout`. When that process has ended permanently, the initializer fails at once. If `initd --only` selects \
      the initializer, it then starts only that process; with `true`, it starts each process without `ready` that no initializer names.
      """, example: "worker: django"),
    ManifestKey(
      "waitFor", .section(.waitFor), usual: "none", for: [.supervisor],
      """
      Instead of a command: something outside of the supervisor, which is tried until it holds. Its last failure is the progress message, \
      and part of the error if `timeout` is exceeded.
      """, example: "waitFor: { tcp: \"localhost:6379\" }\ntimeout: 30s"),
    ManifestKey(
      "phase", .choice(["launch", "active"]), usual: "`launch`",
      "Which phase runs it: `launch` once, when the app starts; `active` at each activation.", example: "phase: active"),
    ManifestKey(
      "priority", .choice(["appLaunch", "appActive"]), usual: "`appLaunch`",
      "Another way to write `phase`: `appLaunch` is `launch`, and `appActive` is `active`.",
      example: "priority: appActive"),
    ManifestKey(
      "dependencies", .names, usual: "none",
      """
      The initializers that must complete before this one starts. Their outputs are in its environment, as `INITD_INPUT_` and their name \
      in capital letters.
      """, example: "dependencies: [migrate]"),
    ManifestKey(
      "timeout", .duration(isPositive: true), usual: "no limit",
      "How long an attempt may take. Then it is stopped, and has failed.", example: "timeout: 2m"),
    ManifestKey(
      "retry", .section(.retry), usual: "one attempt",
      "How often the initializer is tried again after a failure, before the pass fails.",
      example: "retry: { attempts: 3, delay: 1s }"),
    ManifestKey(
      "optional", .boolean, usual: "`false`",
      "`true` if its failure doesn't fail the pass. Its dependents can't run then.", example: "optional: true"),
    ManifestKey(
      "when", .section(.when), usual: "it always runs", for: [.supervisor],
      "The condition that must hold when the initializer's turn comes. Otherwise the initializer is skipped, and its dependents continue.",
      example: "when: { env: CI }"),
    ManifestKey(
      "inputs", .patterns, usual: "it always runs", for: [.supervisor],
      """
      The files that the initializer's work depends on. If it completed before with the same definition, the same contents of these files \
      and the same outputs of its dependencies, it is skipped as fresh, and its output stays valid. This applies when the app becomes \
      active again, and with `--state-directory` in launch. `*`, `?` and `[a-z]` stand for parts of a name, and `**` for any directories. \
      A directory means all files in it. A relative path starts at the manifest's directory. If a file can't be read, or none matches, it \
      runs.
      """, example: "inputs: [migrations/*.sql, ./migrate]"),
    ManifestKey(
      "freshFor", .duration(isPositive: true), usual: "no limit with `inputs`, else it always runs", for: [.supervisor],
      """
      How long the initializer is fresh after it has completed, with `inputs` or alone. A fresh initializer is skipped, and its output \
      stays valid.
      """, example: "freshFor: 10m"),
    ManifestKey(
      "group", .name, usual: "none", for: [.supervisor],
      "The group of the initializer, one of `groups`: it starts when the group has a place for it.",
      example: "group: db"),
    ManifestKey(
      "stop", .command, usual: "none", for: [.supervisor],
      "A command that is run at shutdown if the initializer had completed, e.g. to remove the files that it made.",
      example: "stop: [./unmount, data]"),
    ManifestKey(
      "workingDirectory", .word, usual: "the manifest's directory",
      "The directory of its commands. A relative path starts at the manifest's directory.",
      example: "workingDirectory: ./state"),
    ManifestKey(
      "profiles", .names, usual: "always part of the manifest", for: [.supervisor],
      """
      The initializer is part of the manifest only if one of these profiles is selected, with `initd --profile`. Other initializers may \
      depend on it only then.
      """, example: "profiles: [dev]"),
    ManifestKey(
      "perProcess", .boolean, usual: "`false`",
      """
      `true` if its effect is only in a process's memory. If another process takes over its name, or another supervisor the state \
      directory, it runs again.
      """, example: "perProcess: true"),
    ManifestKey(
      "secret", .boolean, usual: "`false`",
      "`true` if its output must not be shown in logs, states and events.", example: "secret: true"),
    ManifestKey(
      "once", .choice(["fleet"]), usual: "runs on each host", for: [.supervisor],
      "`fleet` if it runs once for each release, on one host of a fleet. The others wait for it.",
      example: "once: fleet"),
    ManifestKey(
      "description", .text, usual: "none", "The purpose of the initializer, in a sentence for people.",
      example: "description: Creates the tables."),
  ]
}
