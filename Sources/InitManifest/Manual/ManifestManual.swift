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
    Relative paths start at the manifest's directory. Words are taken as written: `[sleep, 30]` has two words. A file has at most 1 MiB.
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
      "Several files",
      [
        """
        `initd --config base.yaml --config prod.yaml` merges files, and so does `include`: the values of each file are put on top of those before \
        it, and on top of what it includes. Mappings are merged by key; anything else, e.g. a list, is replaced. A key without a value (`migrate: \
        null`) removes what is below it. Only the whole must be a manifest: one file needs neither a `version` nor whole initializers.
        """,
        """
        Relative paths start at the directory of the file that has them, and a command runs in the directory of the file that has the \
        `command`. There may be 200 files, 8 of which include each other in a row, and 4 MiB of them.
        """,
        """
        In one file, YAML's anchors and aliases repeat a value: `environment: &common { A: x }`, then `environment: *common`. A merge key, `<<: \
        *common`, adds the keys that a mapping doesn't have itself. All aliases of a file stand for at most 500,000 values.
        """,
      ]
    ),
    (
      "Variables",
      [
        """
        In the values of `environment`, `workingDirectory` and `waitFor`, `${NAME}` is the value of a variable, and `${NAME:-default}` is the default \
        if the variable is unset or empty. One that isn't set and has no default is a mistake. `$${` is the text `${`, and any other `$` is taken as \
        written.
        """,
        """
        The variable is one that the command has so far: of the environment of initd, then of the manifest's `environmentFile` and \
        `environment`, then of its own. Of one `environment` these are the variables above it.
        """,
        """
        An environment file has a line `NAME=value` for each variable. Empty lines, and those that begin with `#`, are ignored, and so is `export` \
        before a name. A value ends at the end of the line, or before a space and `#`. A value in single quotes is taken as written, and may have \
        more lines; so may one in double quotes, in which `\\n`, `\\r`, `\\t`, `\\"`, `\\\\` and `\\$` are escapes. `$` has no other meaning there.
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
        of a manifest, editors complete its keys and mark mistakes. `initctl schema --format part > init.part.schema.json` prints the schema of a \
        file that is merged with others. Such a file may lack any key, and a key without a value removes it from the files before.
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
