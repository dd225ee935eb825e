internal import InitCore
internal import InitDeclarations

extension ManifestSection {
  /// The keys of the manifest itself.
  static let manifestRows: [ManifestRow<DeclaredSettings>] = [
    ManifestKey(
      "version", .version, usual: nil, "The version of the format. It is always 1.", example: "version: 1"
    ).row(reading: { reader, field, _ in reader.checkVersion(field) }),
    ManifestKey(
      "include", .paths, usual: "none",
      """
      Files below this one, see [Several files](#several-files): the values of this file override theirs. A relative path starts at \
      the directory of this file.
      """, example: "include: [common.yaml]"
    ).row(),
    ManifestKey(
      "initializers", .named(.initializer), usual: "none",
      "The initializers, by name, in the order of registration. Workers may register further initializers over the socket.",
      example: "initializers:\n  migrate: { command: [./migrate, --all] }"
    ).row(),
    ManifestKey(
      "processes", .named(.process), usual: "none", for: [.supervisor],
      "The processes that the supervisor starts and keeps running, by name.",
      example: "processes:\n  shelf: { command: [python3, shelf_worker.py] }"
    ).row(),
    ManifestKey(
      "workers", .named(.process), usual: "none", for: [.supervisor],
      "Another name of `processes`. A file has one of the two; in files that are merged they are one key.",
      example: "workers:\n  shelf: { command: [python3, shelf_worker.py] }"
    ).row(),
    ManifestKey(
      "defaults", .section(.defaults), usual: "none",
      """
      Values for all initializers that don't have these keys themselves. A mapping is merged with the initializer's own. An initializer \
      does without a default if it has the key without a value, e.g. `timeout: null`.
      """, example: "defaults: { timeout: 1m, retry: { attempts: 3 } }"
    ).row(reading: { reader, field, _ in reader.checkDefaults(field) }),
    ManifestKey(
      "concurrency", .count, usual: "`1`", for: [.supervisor],
      """
      How many initializers may run at once. What only waits takes no place: a `waitFor`, and a process that isn't ready yet. `initd \
      --concurrency` overrides it.
      """, example: "concurrency: 4"
    ).row(.fromNextRun, at: \.machine.concurrency) { $0.integer($1, example: "4") },
    ManifestKey(
      "groups", .counts, usual: "none", for: [.supervisor],
      """
      Groups of initializers, by name, and how many of each may run at once, within `concurrency`. An initializer belongs to a group with \
      `group`.
      """, example: "groups: { db: 2 }"
    ).row(.fromNextRun, at: \.machine.groups) { $0.groups($1) },
    ManifestKey(
      "ports", .ports, usual: "none", for: [.supervisor],
      """
      Ports, by name: `8080` is that one, `5432+` the first free one of 100 from there, and `auto` any free one. A \
      text of an initializer or a process gets it as `${ports.NAME}`, and each command as `INITD_PORT_NAME`. Each is chosen when the supervisor starts, and kept.
      """, example: "ports: { web: 8080, db: 5432+, debug: auto }"
    ).row(.fromNextRun, at: \.ports) { $0.ports($1) },
    ManifestKey(
      "keepGoing", .boolean, usual: "`false`", for: [.supervisor],
      """
      `true` if a failure stops only the initializers that depend on the failed one. The pass then fails at its end, and its error lists \
      all failures. `initd --keep-going` does the same.
      """, example: "keepGoing: true"
    ).row(.fromNextRun, at: \.machine.keepsGoing),
    ManifestKey(
      "activate", .boolean, usual: "`false`", for: [.supervisor],
      """
      `true` if the app is active from the start. `initd --activate` does the same, and `--no-activate` overrides it. It matters only at the \
      start of the supervisor.
      """, example: "activate: true"
    ).row(.fromNextRun, at: \.activates),
    ManifestKey(
      "socket", .word, usual: "the project's, in the user's runtime directory", for: [.supervisor],
      """
      The path of the supervisor's socket. A relative path starts at the manifest's directory. `initd --socket` and `INITD_SOCKET` override \
      it. It matters only at the start of the supervisor.
      """, example: "socket: run/initd.sock"
    ).row(reading: { reader, field, entry in
      entry.declared.start.socket = reader.word(field, "a path", example: "run/initd.sock")
    }),
    ManifestKey(
      "stateDirectory", .word, usual: "none", for: [.supervisor],
      """
      The directory that records which launch initializers have completed, and the last passes: `initd --state-directory` overrides it. A \
      relative path starts at the manifest's directory. It matters only at the start of the supervisor.
      """, example: "stateDirectory: .initd"
    ).row(reading: { reader, field, entry in
      entry.declared.start.stateDirectory = reader.word(field, "a path", example: ".initd")
    }),
    ManifestKey(
      "output", .choice(["all", "failed", "none"]), usual: "`failed`; `all` on a terminal", for: [.supervisor],
      """
      Which output of commands and processes is logged: all, the last lines of failed attempts, or none. `initd --output` overrides it. It \
      matters only at the start of the supervisor.
      """, example: "output: all"
    ).row(reading: { reader, field, entry in
      entry.declared.start.output = reader.choice(field, of: Manifest.OutputInLog.self)?.rawValue
    }),
    ManifestKey(
      "environment", .variables, usual: "none",
      """
      Variables in the environment of every command, in addition to the supervisor's own. A command's own `environment` overrides \
      them.
      """, example: "environment: { LANG: C.UTF-8 }"
    ).row(.fromNextRun, at: \.environment) { $0.environment($1) },
    ManifestKey(
      "environmentFile", .paths, usual: "none",
      """
      Files with variables for every command, as lines `NAME=value`, see [Variables](#variables). The `environment` beside it overrides \
      them, and a later file overrides an earlier one.
      """, example: "environmentFile: [.env]"
    ).row(reading: { reader, field, _ in reader.checkEnvironmentFile(field) }),
    ManifestKey(
      "registrationTimeout", .duration(isPositive: false), usual: "`10s`", for: [.supervisor],
      "How long a pass waits for a worker to register a missing name, when no other initializer can run.",
      example: "registrationTimeout: 30s"
    ).row(.fromNextRun, at: \.machine.registrationTimeout) { $0.duration($1, example: "10s") },
    ManifestKey(
      "cancelGrace", .duration(isPositive: false), usual: "`5s`",
      """
      The maximum time for a run to stop after it was told to. Then a command's processes are killed, and a worker's connection is closed.
      """, example: "cancelGrace: 2s"
    ).row(.fromNextRun, at: \.machine.cancelGrace) { $0.duration($1, example: "5s") },
    ManifestKey(
      "stopTimeout", .duration(isPositive: false), usual: "`10s`", for: [.supervisor],
      "How long a `stop` command may take at shutdown.", example: "stopTimeout: 30s"
    ).row(.fromNextRun, at: \.machine.stopTimeout) { $0.duration($1, example: "10s") },
    ManifestKey(
      "release", .name, usual: "none", for: [.supervisor],
      "The release of the app, for initializers with `once: fleet`. It follows the rule for names.",
      example: "release: v7"
    ).row(.fromNextRun, at: \.release) { $0.release($1) },
  ]
}
