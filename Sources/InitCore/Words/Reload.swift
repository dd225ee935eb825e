public import InitWords

/// A change of the declarations of the program's manifest: one step (S27).
public struct Reload: Hashable, Sendable {
  /// A new initializer.
  public struct Addition: Hashable, Sendable {
    /// The declaration of the initializer.
    public var declaration: Declaration
    /// The kind of its provider.
    public var kind: ProviderKind

    /// Creates an addition.
    public init(_ declaration: Declaration, _ kind: ProviderKind) {
      self.declaration = declaration
      self.kind = kind
    }
  }

  /// An initializer that is declared in another way than before.
  public struct Change: Hashable, Sendable {
    /// The new declaration of the initializer.
    public var declaration: Declaration
    /// The kind of its new provider.
    public var kind: ProviderKind
    /// Whether the work has changed, so the initializer runs again if it has completed; otherwise the change takes effect at the next run.
    public var isOfWork: Bool

    /// Creates a change.
    public init(_ declaration: Declaration, _ kind: ProviderKind, isOfWork: Bool) {
      self.declaration = declaration
      self.kind = kind
      self.isOfWork = isOfWork
    }
  }

  /// The machine's settings that may change while it runs.
  public struct Settings: Hashable, Sendable {
    /// See ``Machine/Configuration/concurrency``.
    public var concurrency: Int
    /// See ``Machine/Configuration/registrationTimeout``.
    public var registrationTimeout: Duration
    /// See ``Machine/Configuration/cancelGrace``.
    public var cancelGrace: Duration
    /// See ``Machine/Configuration/stopTimeout``.
    public var stopTimeout: Duration

    /// See ``Machine/Configuration/groups``.
    public var groups: [String: Int]
    /// See ``Machine/Configuration/keepsGoing``.
    public var keepsGoing: Bool
    /// See ``Machine/Configuration/only``.
    public var only: Set<String>

    /// Creates the settings of a configuration.
    public init(_ configuration: Machine.Configuration) {
      concurrency = configuration.concurrency
      registrationTimeout = configuration.registrationTimeout
      cancelGrace = configuration.cancelGrace
      stopTimeout = configuration.stopTimeout
      groups = configuration.groups
      keepsGoing = configuration.keepsGoing
      only = configuration.only
    }
  }

  /// The new initializers, in the order of the manifest.
  public var added: [Addition]
  /// The initializers with a changed declaration.
  public var changed: [Change]
  /// The names that the manifest no longer has.
  public var removed: [String]
  /// The settings; `nil` if they stay.
  public var settings: Settings?
  /// Whether the dependents of an initializer that runs again run again too.
  public var withDependents: Bool

  /// Creates a change of declarations.
  public init(
    added: [Addition] = [], changed: [Change] = [], removed: [String] = [], settings: Settings? = nil,
    withDependents: Bool = false
  ) {
    self.added = added
    self.changed = changed
    self.removed = removed
    self.settings = settings
    self.withDependents = withDependents
  }
}
