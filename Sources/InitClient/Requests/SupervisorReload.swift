internal import InitModel
internal import InitText
internal import InitWire

/// The changes of a reload of the supervisor's configuration, or the changes that it would make.
public struct SupervisorReload: Sendable, Hashable {
  /// An initializer or a process that differs.
  public struct Change: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The changed keys, in the manifest's words.
    public let keys: [String]

    init(_ change: ReloadRequest.Result.Change) {
      name = change.name
      keys = change.keys
    }
  }

  /// The names of new initializers and processes.
  public let added: [String]
  /// The initializers and processes whose work has changed.
  public let changed: [Change]
  /// The names of removed initializers and processes.
  public let removed: [String]
  /// The number of unchanged initializers and processes.
  public let unchanged: Int
  /// The unchanged initializers and processes with a changed setting that takes effect at the next run, for example the timeout.
  public let fromNextRun: [Change]
  /// The changed settings of the supervisor, in the manifest's words.
  public let settings: [String]

  init(_ result: ReloadRequest.Result) {
    added = result.added
    removed = result.removed
    unchanged = result.unchanged
    changed = result.changed.map(Change.init)
    fromNextRun = (result.fromNextRun ?? []).map(Change.init)
    settings = result.settings ?? []
  }
}

extension SupervisorError {
  /// Creates the error of a reload, with all mistakes of the configuration.
  init(reloading error: ClientError) {
    let base = SupervisorError(error)
    guard case .refused(let refusal) = error, case .findings(let findings) = refusal.detail else {
      self = base
      return
    }
    let lines = findings.map { TerminalText.escape("\($0)") }
    self.init(base.kind, ([base.description] + lines).joined(separator: "\n"), code: base.code)
  }
}
