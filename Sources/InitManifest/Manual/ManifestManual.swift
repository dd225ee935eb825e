/// The manual of the manifest, made from the table of its keys: as Markdown, or as a page of `man` section 5.
package enum ManifestManual {
  /// What a manifest is, before the keys.
  static let introduction = [
    """
    A manifest is a YAML file that says what a supervisor initializes: its *initializers*, with their commands and dependencies, and the \
    processes that it keeps running. `initd --config init.yaml` runs it, and `initctl check init.yaml` checks it: it reports every mistake \
    with its line and what to do, or shows what will run in which order.
    """,
    """
    Relative paths start at the manifest's directory. Words are taken as written: `[sleep, 30]` has two words. The file has at most 1 MiB.
    """,
  ]

  /// A whole manifest.
  static let example = """
    version: 1
    concurrency: 4
    environment: { LANG: C.UTF-8 }
    initializers:
      migrate:
        command: [./migrate, --all]
        timeout: 2m
        retry: { attempts: 3, delay: 1s }
      toggles:
        command: curl -fsS http://localhost:9000/toggles -o toggles.json
        dependencies: [migrate]
      favorites:
        worker: true
        phase: active
        dependencies: [toggles]
    workers:
      shelf:
        command: [python3, shelf_worker.py]
        restart: always
    """

  /// What holds for values of several keys: a heading, and paragraphs.
  static let notes = [
    (
      "Durations",
      [
        "A duration is a number with a unit: `500ms`, `30s`, `2m` or `1h`. Without a unit it is in seconds. It may have a fraction: `1.5s`."
      ]
    ),
    (
      "Commands",
      [
        """
        A command is a list of a program and its arguments, or a text for `/bin/sh -c`. A program with a slash is found from the manifest's \
        directory, another one in `PATH`.
        """,
        """
        Its environment is the supervisor's, without the variables of systemd's protocols, then the manifest's `environment`, then its own. \
        It also has `INITD_SOCKET`, `INITD_INITIALIZER`, `INITD_RUN`, `INITD_PASS`, `INITD_PHASE` and `INITD_ATTEMPT`. What it writes to the \
        file `$INITD_OUTPUT` is its output; those that depend on it have it in their environment. It may report progress as systemd's \
        services do, over `NOTIFY_SOCKET`.
        """,
      ]
    ),
    (
      "A worker's manifest",
      [
        """
        `initctl worker --config worker.yaml` reads a manifest of the same form: commands that a worker registers with a supervisor and runs. \
        Its initializers may depend on those of others. The keys that it can't have say so.
        """
      ]
    ),
    (
      "Editors",
      [
        """
        `initctl schema > init.schema.json` prints a JSON Schema. With the line `# yaml-language-server: $schema=init.schema.json` at the top \
        of a manifest, editors complete its keys and mark mistakes.
        """
      ]
    ),
  ]

  /// Returns what else is said of a key: the form of its value, its default, its first version, and where it can't be.
  static func facts(of key: ManifestKey) -> String {
    let usual = key.usual.map { $0.hasPrefix("required") ? $0 : "default: \($0)" } ?? "required"
    let place = key.purposes.contains(.worker) ? "" : "; not in a worker's manifest"
    return "\(key.value.words); \(usual); since \(key.since)\(place)"
  }
}
