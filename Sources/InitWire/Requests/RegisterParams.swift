/// Params of `register` (protocol §4, §6): all or none.
public struct RegisterParams: Sendable, Equatable {
  /// What the worker provides from now on, in order.
  public var initializers: [RegistrationShape]

  /// A registration of some initializers.
  public init(initializers: [RegistrationShape]) { self.initializers = initializers }
}

/// One initializer that a worker registers (protocol §4).
public struct RegistrationShape: Sendable, Equatable {
  /// Its name.
  public var name: String
  /// Its priority; nil where the worker didn't say, which is `appLaunch` unless the manifest says otherwise.
  public var priority: Priority?
  /// Its dependencies' names, in order; nil where the worker didn't say, which is none unless the manifest says otherwise.
  public var dependencies: [String]?
  /// How long one run may take, in seconds (S15); nil for as long as it likes.
  public var timeout: Double?
  /// How a failed run is tried again (S16); nil for not at all.
  public var retry: RetryShape?
  /// Whether its effect lives in its worker's memory (S22).
  public var perProcess: Bool?
  /// Whether the pass goes on when it fails (S8).
  public var optional: Bool?
  /// What it does, for people.
  public var description: String?

  /// An initializer to register.
  public init(
    name: String, priority: Priority? = nil, dependencies: [String]? = nil, timeout: Double? = nil,
    retry: RetryShape? = nil, perProcess: Bool? = nil, optional: Bool? = nil, description: String? = nil
  ) {
    self.name = name
    self.priority = priority
    self.dependencies = dependencies
    self.timeout = timeout
    self.retry = retry
    self.perProcess = perProcess
    self.optional = optional
    self.description = description
  }
}

/// How a failed run is tried again (protocol §4, S16); the defaults are S16's.
public struct RetryShape: Sendable, Equatable {
  /// How many attempts there are in all, the first included.
  public var attempts: Int
  /// How long to wait before the second attempt, in seconds.
  public var delay: Double
  /// By what each further wait is longer.
  public var factor: Double
  /// The longest wait, in seconds.
  public var maxDelay: Double

  /// A rule for retries.
  public init(attempts: Int = 1, delay: Double = 1, factor: Double = 2, maxDelay: Double = 30) {
    self.attempts = attempts
    self.delay = delay
    self.factor = factor
    self.maxDelay = maxDelay
  }
}

extension RegisterParams: Shape {
  /// A blank, to read into.
  package init() { self.init(initializers: []) }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("initializers", &initializers)
    var seen: Set<String> = []
    for (place, name) in initializers.lazy.map(\.name).enumerated() where !seen.insert(name).inserted {
      throw ShapeFault(path: ".initializers[\(place)].name", reason: "must not name \"\(name)\" a second time")
    }
  }
}

extension RegistrationShape: Shape {
  /// A blank, to read into.
  package init() { self.init(name: "") }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.required("name", &name, .initializerName)
    try json.optional("priority", &priority)
    var dependencies = self.dependencies.map(NameList.init)
    try json.optional("dependencies", &dependencies)
    self.dependencies = dependencies?.names
    if let names = dependencies?.names, let clash = InputVariables.clash(in: names) {
      let reason = "must not share the variable \(clash.variable) with \"\(names[clash.first])\"; rename one of them"
      throw ShapeFault(path: ".dependencies[\(clash.second)]", reason: reason)
    }
    try json.optional("timeout", &timeout, .seconds)
    try json.optional("retry", &retry)
    try json.optional("perProcess", &perProcess)
    try json.optional("optional", &optional)
    try json.optional("description", &description)
  }
}

extension RetryShape: Shape {
  /// A blank, to read into.
  package init() { self.init(attempts: 1) }

  package mutating func visit(_ json: inout some Members) throws(ShapeFault) {
    try json.optional("attempts", &attempts, .positive)
    try json.optional("delay", &delay, .seconds)
    try json.optional("factor", &factor, .factor)
    try json.optional("maxDelay", &maxDelay, .seconds)
  }
}
