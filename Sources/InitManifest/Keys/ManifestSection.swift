/// A kind of mapping in the manifest that has keys of its own.
enum ManifestSection: String, Sendable, CaseIterable {
  /// The manifest itself.
  case manifest
  /// An entry of `initializers`.
  case initializer
  /// An entry of `workers`.
  case process
  /// The value of an initializer's `waitFor`.
  case waitFor
  /// The value of a process's `ready`.
  case ready
  /// The value of a process's `healthy`.
  case healthy
  /// The value of an initializer's `when`.
  case when
  /// The value of an initializer's `unless`.
  case unless
  /// The value of an initializer's `retry`.
  case retry
  /// The value of a process's `backoff`.
  case backoff
  /// The value of a command's `limits`.
  case limits
  /// The value of `defaults`.
  case defaults

  /// The heading in the manual.
  var title: String {
    switch self {
    case .manifest: "Top level"
    case .initializer: "An initializer"
    case .process: "A process"
    case .waitFor: "What is waited for"
    case .ready: "Readiness"
    case .healthy: "Health"
    case .when: "Conditions"
    case .unless: "What is already done"
    case .retry: "Retries"
    case .backoff: "Pauses between starts"
    case .limits: "Limits"
    case .defaults: "Defaults"
    }
  }

  /// The heading's anchor in Markdown.
  var anchor: String { title.lowercased().split(separator: " ").joined(separator: "-") }

  /// What the section is for, in a paragraph.
  var purpose: String {
    switch self {
    case .manifest: "The keys of the file itself."
    case .initializer:
      """
      The keys of one entry of `initializers`. The entry's name is the initializer's: 1 to 128 ASCII letters, digits and `. _ : / @ + -`, \
      beginning with a letter or digit. The order of the entries decides which of several ready initializers starts first.
      """
    case .process:
      """
      The keys of one entry of `workers`: a process that the supervisor starts at once, and starts again when it ends. It may register \
      initializers as a worker over the socket, or be any other program.
      """
    case .waitFor:
      """
      The keys of an initializer's `waitFor`: exactly one of `tcp`, `http`, `unix` and `path`, and how often it is tried. Names are \
      looked up in `/etc/hosts`, or by the name servers in `/etc/resolv.conf`. A state directory doesn't remember the result: the next \
      supervisor tries again.
      """
    case .ready:
      """
      The keys of a process's `ready`: exactly one of `tcp`, `http`, `unix`, `path`, `notify` and `command`, and how often it is tried. \
      It counts only while the process lives.
      """
    case .healthy:
      """
      The keys of a process's `healthy`: at most one of `tcp`, `http`, `unix`, `path`, `command` and `watchdog`, and how often it is tried. \
      Without one of them, it checks what `ready` does. After `tries` failures in a row, the process is unhealthy, and the app isn't ready; \
      one success ends that.
      """
    case .when:
      """
      The keys of an initializer's `when`. All given keys must hold when the initializer's turn comes. Otherwise the initializer is \
      skipped, with the reason, and its dependents continue as if it had completed.
      """
    case .unless: "The keys of an initializer's `unless`."
    case .retry: "The keys of an initializer's `retry`."
    case .backoff: "The keys of a process's `backoff`: the pauses between its starts."
    case .limits:
      "The keys of a command's `limits`. A size is a number of bytes, or has a unit: `64KiB`, `512MiB` or `2GiB`."
    case .defaults: "The keys of `defaults`, which hold for all initializers that don't have them."
    }
  }

  /// The keys of the list of processes, which are one key.
  static let listsOfProcesses = ["processes", "workers"]
  /// The keys of the lists whose entries are run.
  static let lists = ["initializers"] + listsOfProcesses

  /// The keys, in the order of the manual.
  var keys: [ManifestKey] {
    switch self {
    case .manifest: Self.manifestRows.map(\.key)
    case .initializer: Self.initializerRows.map(\.key)
    case .process: Self.processRows.map(\.key)
    case .waitFor: Self.waitForKeys
    case .ready: Self.readyKeys
    case .healthy: Self.healthyKeys
    case .when: Self.whenKeys
    case .unless: Self.unlessKeys
    case .retry: Self.retryKeys
    case .backoff: Self.retryKeys.filter { $0.name != "attempts" }
    case .limits: Self.limitsKeys
    case .defaults: Self.defaultsKeys
    }
  }

  /// Returns the other section for an entry of `initializers` or `workers`, and its key.
  ///
  /// Returns `nil` in a manifest for a purpose that has only one of them.
  func counterpart(for purpose: Manifest.Purpose) -> (section: ManifestSection, list: String)? {
    switch (self, purpose) {
    case (.initializer, .supervisor): (.process, "processes")
    case (.process, .supervisor): (.initializer, "initializers")
    case (.initializer, .worker), (.process, .worker), (.manifest, _), (.waitFor, _), (.ready, _), (.healthy, _),
      (.when, _),
      (.unless, _), (.retry, _), (.backoff, _), (.limits, _), (.defaults, _):
      nil
    }
  }

  /// Returns the names of the keys that a manifest for a purpose may have.
  func keyNames(for purpose: Manifest.Purpose) -> [String] {
    keys.filter { $0.purposes.contains(purpose) }.map(\.name)
  }
}
