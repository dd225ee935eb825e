public import InitWords

/// A duration, or an instant given as the duration since the start of the machine's clock.
public typealias Instant = Duration

/// The attributes of an initializer: its name, its phase, its dependencies and its policies.
///
/// A copy is a reference to the same attributes, because plans, records and notices contain many copies of it.
public struct Declaration: Hashable, Sendable {
  private struct Attributes: Hashable, Sendable {
    var name: String
    var priority: Priority
    var dependencies: [String]
    /// `nil` for the default of both.
    var limits: Box<Limits>?
    var isOptional: Bool
    var isPerProcess: Bool
    var hasStop: Bool

    mutating func change(_ body: (inout Limits) -> Void) {
      var changed = limits?.value ?? Limits()
      body(&changed)
      limits = changed == Limits() ? nil : Box(changed)
    }
  }

  private struct Limits: Hashable, Sendable {
    var timeout: Duration?
    var retry = RetryPolicy.never
    var group: String?
    var after: [String] = []
    var hasCondition = false
    var hasUnless = false
    var rerunsDependents = false
    var process: String?
    var freshness: Freshness?
  }

  private var box: Box<Attributes>

  /// The unique name.
  ///
  /// On the wire 1 to 128 bytes of ASCII letters, digits and `._:/@+-`; the machine itself takes any string.
  public var name: String {
    get { box.value.name }
    set { change { $0.name = newValue } }
  }
  /// The phase that executes the initializer.
  public var priority: Priority {
    get { box.value.priority }
    set { change { $0.priority = newValue } }
  }
  /// The names of the initializers that complete before it starts (S6), in the order they were listed.
  public var dependencies: [String] {
    get { box.value.dependencies }
    set { change { $0.dependencies = newValue } }
  }
  /// The names of the initializers that end before it starts, however they end, if their pass runs them (S6).
  public var after: [String] {
    get { box.value.limits?.value.after ?? [] }
    set { limit { $0.after = newValue } }
  }
  /// The timeout of one attempt: an attempt that takes longer fails, and is asked to stop (S15).
  ///
  /// `nil` for no limit.
  public var timeout: Duration? {
    get { box.value.limits?.value.timeout }
    set { limit { $0.timeout = newValue } }
  }
  /// How often, and after which delays, a failed run is retried (S16).
  public var retry: RetryPolicy {
    get { box.value.limits?.value.retry ?? .never }
    set { limit { $0.retry = newValue } }
  }
  /// The group that limits how many of its initializers run at once (S33); `nil` for none.
  public var group: String? {
    get { box.value.limits?.value.group }
    set { limit { $0.group = newValue } }
  }
  /// Whether the initializer has a condition that is checked when its turn comes (S29).
  public var hasCondition: Bool {
    get { box.value.limits?.value.hasCondition ?? false }
    set { limit { $0.hasCondition = newValue } }
  }
  /// Whether a command decides at its turn whether the initializer is already done (S37).
  public var hasUnless: Bool {
    get { box.value.limits?.value.hasUnless ?? false }
    set { limit { $0.hasUnless = newValue } }
  }
  /// Whether the initializer's dependents run again when its process has ended after it was ready (S32).
  public var rerunsDependents: Bool {
    get { box.value.limits?.value.rerunsDependents ?? false }
    set { limit { $0.rerunsDependents = newValue } }
  }
  /// The process that registers the initializer, if that is known (S32).
  public var process: String? {
    get { box.value.limits?.value.process }
    set { limit { $0.process = newValue } }
  }
  /// Says when the initializer needn't run again after it has completed (S30); `nil` if it always runs.
  public var freshness: Freshness? {
    get { box.value.limits?.value.freshness }
    set { limit { $0.freshness = newValue } }
  }
  /// Whether the pass continues if the initializer fails (S8).
  public var isOptional: Bool {
    get { box.value.isOptional }
    set { change { $0.isOptional = newValue } }
  }
  /// Whether the initializer's effect is only in its worker's memory, so another process must run it again (S22).
  public var isPerProcess: Bool {
    get { box.value.isPerProcess }
    set { change { $0.isPerProcess = newValue } }
  }
  /// Whether the initializer must be stopped at the end if it has completed (S24).
  public var hasStop: Bool {
    get { box.value.hasStop }
    set { change { $0.hasStop = newValue } }
  }

  /// Declares an initializer; all parameters but the name have defaults.
  public init(
    _ name: String,
    priority: Priority = .appLaunch,
    dependencies: [String] = [],
    timeout: Duration? = nil,
    retry: RetryPolicy = .never,
    isOptional: Bool = false,
    isPerProcess: Bool = false,
    hasStop: Bool = false,
    group: String? = nil
  ) {
    let limits = Limits(timeout: timeout, retry: retry, group: group)
    box = Box(
      Attributes(
        name: name, priority: priority, dependencies: dependencies, limits: limits == Limits() ? nil : Box(limits),
        isOptional: isOptional, isPerProcess: isPerProcess, hasStop: hasStop))
  }

  /// Returns this declaration with other values of the given attributes.
  func with(
    priority: Priority?, dependencies: [String]?, timeout: Duration?, retry: RetryPolicy?, isOptional: Bool?,
    isPerProcess: Bool?
  ) -> Declaration {
    var copy = self
    copy.change { attributes in
      if let priority { attributes.priority = priority }
      if let dependencies { attributes.dependencies = dependencies }
      if let isOptional { attributes.isOptional = isOptional }
      if let isPerProcess { attributes.isPerProcess = isPerProcess }
      guard timeout != nil || retry != nil else { return }
      attributes.change { limits in
        if let timeout { limits.timeout = timeout }
        if let retry { limits.retry = retry }
      }
    }
    return copy
  }

  private mutating func limit(_ body: (inout Limits) -> Void) {
    change { $0.change(body) }
  }

  private mutating func change(_ body: (inout Attributes) -> Void) {
    var attributes = box.value
    body(&attributes)
    box = Box(attributes)
  }
}

extension Declaration {
  /// The number of bytes that the name, the dependencies and the names of `after` take in JSON, with quotes and a comma for each.
  package var nameBytes: Int {
    (dependencies + after).reduce(name.utf8.count + 3) { $0 + $1.utf8.count + 3 }
  }
}
