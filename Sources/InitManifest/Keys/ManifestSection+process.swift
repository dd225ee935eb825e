internal import InitCore
internal import InitDeclarations
internal import InitText

extension ManifestSection {
  /// The keys of a process to keep running.
  static let processRows: [ManifestRow<DeclaredWorker>] =
    [
      ManifestKey(
        "command", .command, usual: nil,
        "The program to run and its arguments. A list is run as it is; a text is run by `/bin/sh -c`.",
        example: "command: [python3, shelf_worker.py]"
      ).row(.work, copy: { $0.command.arguments = $1.command.arguments }),
      ManifestKey(
        "restart", .choice(["onFailure", "always", "never"]), usual: "`onFailure`",
        "When the process is started again: `onFailure` if its exit status wasn't 0, or a signal ended it.",
        example: "restart: always"
      ).row(.fromNextRun, at: \.restart) { $0.choice($1, of: RestartPolicy.self) }
        .told { "restart: \($0.restart)" },
      ManifestKey(
        "dependencies", .names, usual: "none",
        "The initializers that must complete before the process is started. Without them, it is started at once.",
        example: "dependencies: [init-db]"
      ).row(
        .work, copy: { $0.dependencies = $1.dependencies },
        reading: { reader, field, entry in
          entry.declared.dependencies = reader.names(.dependencies, field, in: &entry)
        }
      ).told { $0.policy.ready == nil ? listed($0.dependencies, after: "after") : nil },
      ManifestKey(
        "ready", .readiness, usual: "`started` if something depends on the process, or it has `after`",
        """
        How the supervisor detects that the process is ready. With it, the process is a launch initializer of its name: a run starts it and \
        completes when it is ready, so others can depend on it. When the process ends, it runs again. Dependents that haven't started wait \
        until it is ready again; `onRestart` decides about the others. With `started`, it is ready as soon as it has started.
        """, example: "ready: { tcp: \"localhost:6379\" }"
      ).row(
        // A process that reports itself is started in another way than one that is checked.
        .work, copy: { if !Readiness.isAlike($0.policy.ready, $1.policy.ready) { $0.policy.ready = $1.policy.ready } },
        reading: { reader, field, entry in
          entry.declared.policy.ready = reader.readiness(field, of: &entry)
        }
      ).checked { $0.policy.ready = $1.policy.ready }
        .told { $0.policy.ready.map { escaped("ready: \($0)") } },
      ManifestKey(
        "healthy", .section(.healthy), usual: "none",
        """
        How the process is checked after it is ready: every so often, or by its own reports. If several checks in a row fail, it is \
        unhealthy: the app isn't ready, and the process is restarted.
        """, example: "ready: { tcp: \"localhost:6379\" }\nhealthy: { every: 30s }"
      ).row(
        // A process that reports itself needs a notification socket.
        .work,
        copy: {
          if $0.policy.watchdog != $1.policy.watchdog {
            $0.policy.healthy = $1.policy.healthy
          }
        }, reading: { reader, field, entry in reader.readHealth(field, of: &entry) }
      ).checked { $0.policy.healthy = $1.policy.healthy }
        .told { $0.policy.healthy.map { escaped("healthy: \($0)") } },
      ManifestKey(
        "inputs", .patterns, usual: "none", for: [.supervisor],
        """
        With `initd --watch`: the files whose changed contents restart the process. They are written as those of an initializer.
        """, example: "inputs: [src]"
      ).row(reading: { reader, field, entry in
        let inputs = reader.inputs(field)
        entry.declared.inputs = inputs.map { InputPattern($0.text) }
        entry.inputPositions = inputs.map(\.position)
      }).checked { $0.inputs = $1.inputs }
        .told { listed($0.inputs.map(\.description), after: "inputs:") },
      ManifestKey(
        "timeout", .duration(isPositive: true), usual: "no limit",
        """
        With `ready`: how long it may take until it is ready. Then it is stopped, and has failed; `restart` decides whether it is started \
        again, without this limit. A launch that has failed because of this is retried once it is ready.
        """,
        example: "ready: { notify: true }\ntimeout: 30s"
      ).row(reading: { $2.declared.start.timeout = $0.timeout($1) }),
      ManifestKey(
        "after", .names, usual: "none",
        """
        The launch initializers that must end before a pass starts the process, however they end, as with `after` of an initializer.
        """, example: "after: [init-db]"
      ).row(reading: { reader, field, entry in entry.declared.start.after = reader.names(.after, field, in: &entry) }),
      ManifestKey(
        "group", .name, usual: "none",
        "With `ready`: one of `groups`. The process is started when the group has a place for it, and keeps the place until it is ready.",
        example: "ready: { notify: true }\ngroup: db"
      ).row(reading: { $2.declared.start.group = $0.group($1) }),
      ManifestKey(
        "stopSignal", .signal, usual: "`TERM`", "The signal that asks the process to end.", example: "stopSignal: INT"
      ).row(.fromNextRun, at: \.policy.stopSignal) { $0.signal($1) }
        .told { $0.policy.stopSignal == ProcessPolicy().stopSignal ? nil : "stopSignal: \($0.policy.stopSignal)" },
      ManifestKey(
        "stopTimeout", .duration(isPositive: false), usual: "`cancelGrace`",
        "The maximum time for the process to end before it is killed.", example: "stopTimeout: 30s"
      ).row(.fromNextRun, at: \.policy.stopTimeout) { $0.duration($1, example: "30s") }
        .told { $0.policy.stopTimeout.map { "stopTimeout: \(DurationText.print($0))" } },
      ManifestKey(
        "onRestart", .choice(["ignore", "rerun"]), usual: "`ignore`",
        """
        With `ready`: what happens to its dependents when it has ended after it was ready. `rerun`: they run again once it is ready, \
        directly and through others, in a pass of their phase. `ignore`: they don't run again, and are stale.
        """, example: "ready: { notify: true }\nonRestart: rerun"
      ).row(reading: { reader, field, entry in
        entry.declared.start.rerunsDependents = reader.choice(field, of: Manifest.OnRestart.self) == .rerun
      }),
      ManifestKey(
        "backoff", .section(.backoff), usual: "`{ delay: 1s, factor: 2, maxDelay: 30s }`",
        "The pauses between the starts of the process. A longer life makes the pause short again.",
        example: "backoff: { delay: 500ms, maxDelay: 10s }"
      ).row(.fromNextRun, at: \.pauses) { $0.retryPolicy($1, .backoff) },
      ManifestKey(
        "workingDirectory", .word, usual: "the manifest's directory",
        "Its directory. A relative path starts at the manifest's directory.", example: "workingDirectory: ./state"
      ).row(.work, at: \.command.directory) { reader, field in
        reader.word(field, "a path", example: "./state").map { reader.noting($0, at: field.value.position) }
      },
      ManifestKey(
        "profiles", .names, usual: "always part of the manifest", for: [.supervisor],
        """
        The process is part of the manifest only if one of these profiles is selected, with `initd --profile`.
        """, example: "profiles: [dev]"
      ).row(reading: { $2.profiles = $0.profiles($1) }),
      ManifestKey(
        "description", .text, usual: "none", "The purpose of the process, in a sentence for people.",
        example: "description: Serves the catalogue."
      ).row(reading: { $2.description = $0.description($1) }),
    ] + commandRows(at: \.command)

  /// The keys of the initializer that starts a process, which exists only with `ready`.
  static let keysOfStart = ["timeout", "group", "onRestart"]

  /// The signals that end a program, or that it can take as a request to end, with and without `SIG`.
  static let signals = ["TERM", "INT", "QUIT", "HUP", "USR1", "USR2", "WINCH", "KILL"].flatMap { [$0, "SIG" + $0] }

  /// The keys of `ready` that define the probe.
  static let readinessKeys =
    targetKeys + [
      ManifestKey(
        "notify", .constant, usual: "`false`",
        "`true` if the process reports itself that it is ready: with `READY=1`, as with systemd's sd_notify, over `NOTIFY_SOCKET`.",
        example: "notify: true"),
      ManifestKey(
        "command", .command, usual: "none",
        "A command that exits with status 0 once the process is ready. It has the environment and the directory of the process.",
        example: "command: [pg_isready, -q]"),
      ManifestKey(
        "line", .word, usual: "none",
        """
        A text that some complete line of the process's standard output or error contains, as it is written here, once it is ready: colours \
        don't count, upper and lower case do. Only lines since its last start count. A longer line is cut at the limit `logLineBytes`.
        """, example: "line: listening on"),
    ]

  /// The keys of `ready`.
  static let readyKeys =
    readinessKeys + waitForKeys.dropFirst(targetKeys.count) + [
      ManifestKey(
        "owner", .choice(["any"]), usual: "the process or a descendant",
        """
        With `tcp`, `http` or `unix`: `any` if the socket may belong to another process. Otherwise an answer counts only if the socket \
        that answers belongs to this process or a descendant, as far as `/proc` shows.
        """, example: "tcp: \"localhost:6379\"\nowner: any")
    ]
}
