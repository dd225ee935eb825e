internal import InitCore
internal import InitDeclarations
internal import InitText

extension ManifestSection {
  /// The keys of an initializer.
  static let initializerRows: [ManifestRow<DeclaredInitializer>] =
    [
      ManifestKey(
        "command", .command, usual: "required, except with `worker` or `waitFor`",
        """
        The program to run and its arguments. A list is run as it is; a text is run by `/bin/sh -c`. Exit status 0 is success. It has an \
        empty standard input.
        """, example: "command: [./migrate, --all]"
      ).row(
        .work,
        copy: { old, new in
          if old.command == nil || new.command == nil {
            old.command = new.command
          } else {
            old.run.arguments = new.run.arguments
          }
        }),
      ManifestKey(
        "worker", .worker, usual: "`false`", for: [.supervisor],
        """
        `true` if a worker registers the initializer over the socket and runs it; the initializer then has no `command`. Or the name of the \
        process of `workers` that registers it. While that process lives, the initializer's `timeout` bounds the wait for its registration \
        instead of `registrationTimeout`. When that process has ended permanently, the initializer fails at once. If `initd --only` selects \
        the initializer, it then starts only that process; with `true`, it starts each process without `ready` that no initializer names.
        """, example: "worker: django"
      ).row(.fromNextRun, copy: { $0.declaration.process = $1.declaration.process }),
      ManifestKey(
        "waitFor", .section(.waitFor), usual: "none", for: [.supervisor],
        """
        Instead of a command: something outside of the supervisor, which is tried until it holds. Its last failure is the progress message, \
        and part of the error if `timeout` is exceeded.
        """, example: "waitFor: { tcp: \"localhost:6379\" }\ntimeout: 30s"
      ).row(.work, copy: { $0.probe = $1.probe }),
      ManifestKey(
        "phase", .choice(["launch", "active"]), usual: "`launch`",
        "Which phase runs it: `launch` once, when the app starts; `active` at each activation.",
        example: "phase: active"
      ).row(.work, copy: { $0.declaration.priority = $1.declaration.priority }),
      ManifestKey(
        "priority", .choice(["appLaunch", "appActive"]), usual: "`appLaunch`",
        "Another way to write `phase`: `appLaunch` is `launch`, and `appActive` is `active`.",
        example: "priority: appActive"
      ).row(),
      ManifestKey(
        "dependencies", .names, usual: "none",
        """
        The initializers that must complete before this one starts. Their outputs are in its environment, as `INITD_INPUT_` and their name \
        in capital letters.
        """, example: "dependencies: [migrate]"
      ).row(
        .work, copy: { $0.declaration.dependencies = $1.declaration.dependencies },
        reading: { reader, field, entry in
          entry.declared.declaration.dependencies = reader.names(.dependencies, field, in: &entry)
        }
      ).told { listed($0.declaration.dependencies, after: "after") },
      ManifestKey(
        "after", .names, usual: "none", for: [.supervisor],
        """
        The initializers of the same phase that must end before this one starts, however they end: complete, failed, skipped or cancelled. \
        One that its pass doesn't run isn't waited for. Unlike `dependencies`, they aren't run because of it, and it gets no outputs of them. \
        A failure that ends the pass still ends it. With `optional: true` there, it is systemd's `Wants=` with `After=`.
        """, example: "after: [migrate]"
      ).row(
        .fromNextRun, copy: { $0.declaration.after = $1.declaration.after },
        reading: { reader, field, entry in entry.declared.declaration.after = reader.names(.after, field, in: &entry) }
      ).told { listed($0.declaration.after, after: "after the end of") },
      ManifestKey(
        "timeout", .duration(isPositive: true), usual: "no limit",
        "How long an attempt may take. Then it is stopped, and has failed.", example: "timeout: 2m"
      ).row(.fromNextRun, at: \.declaration.timeout) { $0.timeout($1) }
        .told(\.declaration.timeout) { $0.map(DurationText.print) },
      ManifestKey(
        "retry", .section(.retry), usual: "one attempt",
        "How often the initializer is tried again after a failure, before the pass fails.",
        example: "retry: { attempts: 3, delay: 1s }"
      ).row(.fromNextRun, at: \.declaration.retry) { $0.retryPolicy($1, .retry) }
        .told(\.declaration.retry, words(for:)),
      ManifestKey(
        "optional", .boolean, usual: "`false`",
        "`true` if its failure doesn't fail the pass. Its dependents can't run then.", example: "optional: true"
      ).row(.fromNextRun, at: \.declaration.isOptional).told(\.declaration.isOptional) { "\($0)" },
      ManifestKey(
        "perProcess", .boolean, usual: "`false`",
        """
        `true` if its effect is only in a process's memory. If another process takes over its name, or another supervisor the state \
        directory, it runs again.
        """, example: "perProcess: true"
      ).row(.fromNextRun, at: \.declaration.isPerProcess).told(\.declaration.isPerProcess) { "\($0)" },
      ManifestKey(
        "secret", .boolean, usual: "`false`",
        "`true` if its output must not be shown in logs, states and events.", example: "secret: true"
      ).row(.fromNextRun, at: \.isSecret).told(\.isSecret) { "\($0)" },
      ManifestKey(
        "when", .section(.when), usual: "it always runs", for: [.supervisor],
        "The condition that must hold when the initializer's turn comes. Otherwise the initializer is skipped, and its dependents continue.",
        example: "when: { env: CI }"
      ).row(
        .fromNextRun,
        copy: {
          $0.condition = $1.condition
          $0.declaration.hasCondition = $1.declaration.hasCondition
        },
        reading: { reader, field, entry in entry.declared.condition = reader.condition(field) }
      ).told { $0.condition.map { _ in "with a condition" } },
      ManifestKey(
        "inputs", .patterns, usual: "it always runs", for: [.supervisor],
        """
        The files that the initializer's work depends on. If it completed before with the same definition, the same contents of these files \
        and the same outputs of its dependencies, it is skipped as fresh, and its output stays valid. This applies when the app becomes \
        active again, and with `--state-directory` in launch. `*`, `?` and `[a-z]` stand for parts of a name, and `**` for any directories. \
        A directory means all files in it. A relative path starts at the manifest's directory. If a file can't be read, or none matches, it \
        runs.
        """, example: "inputs: [migrations/*.sql, ./migrate]"
      ).row(
        .work,
        copy: {
          $0.declaration.freshness.copy(from: $1.declaration.freshness) {
            $0.inputs = $1.inputs
            if !$1.inputs.isEmpty { $0.directory = $1.directory }
          }
        }
      )
      .told { listed($0.declaration.freshness?.inputs.map(\.description) ?? [], after: "inputs:") },
      ManifestKey(
        "freshFor", .duration(isPositive: true), usual: "no limit with `inputs`, else it always runs",
        for: [.supervisor],
        """
        How long the initializer is fresh after it has completed, with `inputs` or alone. A fresh initializer is skipped, and its output \
        stays valid.
        """, example: "freshFor: 10m"
      ).row(
        .fromNextRun,
        copy: {
          $0.declaration.freshness.copy(from: $1.declaration.freshness) {
            $0.limit = $1.limit
            if $0.directory.isEmpty { $0.directory = $1.directory }
          }
        }
      )
      .told { $0.declaration.freshness?.limit.map { "freshFor: \(DurationText.print($0))" } },
      ManifestKey(
        "group", .name, usual: "none", for: [.supervisor],
        "The group of the initializer, one of `groups`: it starts when the group has a place for it.",
        example: "group: db"
      ).row(.fromNextRun, at: \.declaration.group) { $0.group($1) }
        .told { $0.declaration.group.map { "group: \($0)" } },
      ManifestKey(
        "once", .choice(["fleet", "ever"]), usual: "runs at each start, on each host", for: [.supervisor],
        """
        `ever` if a completion counts over restarts of the supervisor and of the system, with `--state-directory`: until the definition, the \
        contents of `inputs`, the dependencies or an output that it takes from them change, `freshFor` has passed, or somebody asks for a \
        `rerun`. Its output counts, too. `fleet` if it runs once for each release, on one host of a fleet, and the others wait for it.
        """, example: "once: ever"
      ).row(
        .fromNextRun,
        copy: {
          $0.isOnce = $1.isOnce
          $0.declaration.freshness.copy(from: $1.declaration.freshness) { $0.isEver = $1.isEver }
        },
        reading: { reader, field, entry in
          entry.declared.isOnce = reader.choice(field, of: Manifest.Scope.self) == .fleet
        }
      ).told { $0.isOnce ? "once: fleet" : $0.declaration.freshness?.isEver == true ? "once: ever" : nil },
      ManifestKey(
        "unless", .section(.unless), usual: "it always runs", for: [.supervisor],
        """
        A command that finds out whether the work is already done. If it exits with status 0 when the initializer's turn comes, the initializer \
        is skipped, and its dependents continue. It is asked at each launch, even if a state directory remembers the initializer; a `rerun` \
        doesn't ask it.
        """, example: "unless: { command: [test, -e, data/seeded] }"
      ).row(
        .fromNextRun,
        copy: {
          $0.unless = $1.unless
          $0.declaration.hasUnless = $1.declaration.hasUnless
        },
        reading: { reader, field, entry in entry.declared.unless = reader.unless(field, of: &entry) }
      ).told { $0.unless.map { "unless \(escaped($0.arguments.joined(separator: " ")))" } },
      ManifestKey(
        "stop", .command, usual: "none", for: [.supervisor],
        "A command that is run at shutdown if the initializer had completed, e.g. to remove the files that it made.",
        example: "stop: [./unmount, data]"
      ).row(
        .fromNextRun,
        copy: {
          $0.run.stop = $1.run.stop
          $0.declaration.hasStop = $1.declaration.hasStop
        },
        reading: { reader, field, entry in entry.declared.run.stop = reader.program(field, of: &entry) }
      ).told { $0.command?.stop.map { _ in "with a stop command" } },
      ManifestKey(
        "workingDirectory", .word, usual: "the manifest's directory",
        "The directory of its commands. A relative path starts at the manifest's directory.",
        example: "workingDirectory: ./state"
      ).row(.work, at: \.run.directory) { reader, field in
        reader.word(field, "a path", example: "./state").map { reader.noting($0, at: field.value.position) }
      },
      ManifestKey(
        "profiles", .names, usual: "always part of the manifest", for: [.supervisor],
        """
        The initializer is part of the manifest only if one of these profiles is selected, with `initd --profile`. Other initializers may \
        depend on it only then.
        """, example: "profiles: [dev]"
      ).row(reading: { $2.profiles = $0.profiles($1) }),
      ManifestKey(
        "description", .text, usual: "none", "The purpose of the initializer, in a sentence for people.",
        example: "description: Creates the tables."
      ).row(reading: { $2.description = $0.description($1) }).told { $0.description.map { "# " + escaped($0) } },
    ] + commandRows(at: \.run)
}

private func words(for retry: RetryPolicy) -> String {
  let factor = retry.factor == retry.factor.rounded() ? "\(Int(retry.factor))" : "\(retry.factor)"
  return "{ attempts: \(retry.attempts), delay: \(DurationText.print(retry.delay)), factor: \(factor), "
    + "maxDelay: \(DurationText.print(retry.maxDelay)) }"
}

extension Freshness? {
  /// Copies a part of another rule; without a part left, there is no rule.
  fileprivate mutating func copy(from other: Freshness?, _ part: (inout Freshness, Freshness) -> Void) {
    var rule = self ?? Freshness(directory: other?.directory ?? "")
    part(&rule, other ?? Freshness())
    self = rule.isEmpty ? nil : rule
  }
}
