/// The manual of the manifest, made from the table of its keys: as Markdown, or as a page of `man` section 5.
package enum ManifestManual {
  /// What a manifest is, before the keys.
  static let introduction = [
    """
    A manifest is a YAML file that says which *initializers* a supervisor runs, with their commands and dependencies, and which processes \
    it keeps running. `initd --config init.yaml` runs it. `initctl check init.yaml` checks it: the command reports every mistake with its \
    line and the remedy, or shows the order of the runs.
    """,
    """
    Relative paths start at the manifest's directory. Words are taken as written: `[sleep, 30]` has two words. A file has at most 1 MiB. \
    `initctl schema KEY` prints one of these keys.
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
    processes:
      shelf:
        command: [python3, shelf_worker.py]
        restart: always
    """

  /// Rules for the values of several keys: a heading, and paragraphs.
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
        A command is a list of a program and its arguments, or a text for `/bin/sh -c`. The program is looked up in the manifest's \
        directory if its name contains a slash, otherwise in `PATH`.
        """,
        """
        Its environment is the supervisor's, without the variables of systemd's protocols, then the manifest's `environment`, then its \
        own. It also has `INITD_SOCKET`, `INITD_INITIALIZER`, `INITD_RUN`, `INITD_PASS`, `INITD_PHASE` and `INITD_ATTEMPT`. The contents \
        of the file `$INITD_OUTPUT` are its output, which its dependents get in their environment. It may report progress as systemd's \
        services do, over `NOTIFY_SOCKET`.
        """,
      ]
    ),
    (
      "Several files",
      [
        """
        `initd --config base.yaml --config prod.yaml` merges files, and so does `include`: the values of each file override those of the \
        files before it, and those of its includes. Mappings are merged by key; anything else, e.g. a list, is replaced. A key without a \
        value (`migrate: null`) removes the key below it. Only the result must be a complete manifest: one file needs neither a `version` \
        nor complete initializers.
        """,
        """
        Relative paths start at the directory of the file that has them, and a command runs in the directory of the file that has the \
        `command`. The limits are 200 files, 8 levels of includes, and 4 MiB in all.
        """,
        """
        In one file, YAML's anchors and aliases repeat a value: `environment: &common { A: x }`, then `environment: *common`. A merge \
        key, `<<: *common`, adds the keys that a mapping doesn't have itself. All aliases of a file stand for at most 500,000 values.
        """,
      ]
    ),
    (
      "Variables",
      [
        """
        In the values of `environment`, `workingDirectory`, `waitFor` and `ready`, and in the words of a command that is a list, `${NAME}` is \
        the value of a variable, and `${NAME:-default}` is the default if the variable is unset or empty. A variable that isn't set and has \
        no default is a mistake. `$${` is the text `${`, and any other `$` is taken as written.
        """,
        """
        There, and in `unless`, `${outputs.NAME}` is the output of an initializer on which the entry depends, directly or not: the text of a \
        string, else its JSON. `${outputs.NAME#/a/0}` is a part of it, by JSON Pointer. `${ports.NAME}` is a port of `ports`. These values \
        are put in at each start; without one, the start fails. In a path, an absolute value replaces what stands before it. In a command \
        that is a text, use `"$INITD_INPUT_NAME"` and `"$INITD_PORT_NAME"`.
        """,
        """
        The variable is looked up in the command's environment so far: in the environment of initd, then in the manifest's \
        `environmentFile` and `environment`, then in its own. Inside an `environment`, only the variables above it are known.
        """,
        """
        An environment file has a line `NAME=value` for each variable. Empty lines, and those that begin with `#`, are ignored. So is \
        `export` before a name. A value ends at the end of the line, or before a space and `#`. A value in single quotes is taken as \
        written, and may have several lines. So may a value in double quotes, in which `\\n`, `\\r`, `\\t`, `\\"`, `\\\\` and `\\$` are \
        escapes. `$` has no other meaning there.
        """,
      ]
    ),
    (
      "A worker's manifest",
      [
        """
        `initctl worker --config worker.yaml` reads a manifest of the same form: commands that a worker registers with a supervisor and \
        runs. Its initializers may depend on initializers outside of the manifest. The keys that it can't have say so.
        """
      ]
    ),
    (
      "Editors",
      [
        """
        `initctl schema > init.schema.json` prints a JSON Schema. With the line `# yaml-language-server: $schema=init.schema.json` at the \
        top of a manifest, editors complete its keys and mark mistakes. `initctl schema --format part > init.part.schema.json` prints the \
        schema of a file that is merged with others. Such a file may lack any key, and a key without a value removes it from the files \
        before.
        """
      ]
    ),
  ]

  /// A section of the manual.
  struct Chapter {
    let section: ManifestSection
    /// The keys that are described here.
    var keys: [ManifestKey] = []
    /// The keys that an earlier section describes, because they mean the same there.
    var shared: [(key: ManifestKey, section: ManifestSection)] = []
  }

  /// The sections, each with the keys that it describes: a key that several sections share is described once.
  static let chapters = ManifestSection.allCases.reduce(into: [Chapter]()) { chapters, section in
    var chapter = Chapter(section: section)
    for key in section.keys {
      if let first = chapters.first(where: { $0.keys.contains { isSame($0, key) } }) {
        chapter.shared.append((key, first.section))
      } else {
        chapter.keys.append(key)
      }
    }
    chapters.append(chapter)
  }

  static func isSame(_ first: ManifestKey, _ second: ManifestKey) -> Bool {
    first.name == second.name && first.meaning == second.meaning && first.example == second.example
      && facts(of: first) == facts(of: second)
  }

  /// The names of all keys, each once.
  package static var keyNames: [String] {
    var names: [String] = []
    for name in chapters.flatMap(\.keys).map(\.name) where !names.contains(name) { names.append(name) }
    return names
  }

  /// Returns the facts about a key: the form of its value, its default, its first version, and where it isn't allowed.
  static func facts(of key: ManifestKey) -> String {
    let usual = key.usual.map { $0.hasPrefix("required") ? $0 : "default: \($0)" } ?? "required"
    let place = key.purposes.contains(.worker) ? "" : "; not in a worker's manifest"
    return "\(key.value.words); \(usual); since \(key.since)\(place)"
  }
}
