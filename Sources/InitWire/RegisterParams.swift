/// Params of `register` (protocol §4, §6): all or none.
public struct RegisterParams: Encodable, Sendable, Equatable {
  /// The initializers, in order.
  public var initializers: [RegistrationShape]

  /// A registration of some initializers.
  public init(initializers: [RegistrationShape]) { self.initializers = initializers }

  /// Reads the params.
  ///
  /// - Throws: −32602 for wrong or missing members, and for a duplicate name.
  init(_ params: ParamsReader) throws(WireError) {
    initializers = []
    var seen: Set<String> = []
    for element in try params.required("initializers").list() {
      let members = try element.object()
      let registration = try RegistrationShape(members)
      guard seen.insert(registration.name).inserted else {
        throw members.wrong("name", "must not name \"\(registration.name)\" a second time")
      }
      initializers.append(registration)
    }
  }
}

/// One initializer that a worker registers (protocol §4).
public struct RegistrationShape: Encodable, Sendable, Equatable {
  /// Its name.
  public var name: String
  /// Its priority; nil if not given: then the manifest's, else `appLaunch`.
  public var priority: PriorityName?
  /// Its dependencies' names, in order; nil if not given: then the manifest's, else none.
  public var dependencies: [String]?
  /// How long one run may take, in seconds (S15); nil for no limit.
  public var timeout: Double?
  /// How a failed run is retried (S16); nil for no retry.
  public var retry: RetryShape?
  /// Whether its effect is only in its worker's memory (S22).
  public var perProcess: Bool?
  /// Whether the pass continues if it fails (S8).
  public var optional: Bool?
  /// What it does, for people.
  public var description: String?

  /// An initializer to register.
  public init(
    name: String, priority: PriorityName? = nil, dependencies: [String]? = nil, timeout: Double? = nil,
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

  /// Reads one element of `initializers`.
  ///
  /// - Throws: −32602 for wrong or missing members.
  init(_ members: ParamsReader) throws(WireError) {
    name = try members.required("name").initializerName()
    priority = try members["priority"]?.word(PriorityName.self)
    dependencies = try members["dependencies"]?.initializerNames()
    if let dependencies, let clash = InputVariables.clash(in: dependencies) {
      throw members.wrong(
        "dependencies[\(clash.second)]",
        "must not share the variable \(clash.variable) with \"\(dependencies[clash.first])\"; rename one of them")
    }
    timeout = try members["timeout"]?.seconds()
    if let members = try members["retry"]?.object() { retry = try RetryShape(members) }
    perProcess = try members["perProcess"]?.boolean()
    optional = try members["optional"]?.boolean()
    description = try members["description"]?.string()
  }
}

/// How a failed run is retried (S16), with the defaults of S16.
public struct RetryShape: Codable, Sendable, Equatable {
  /// How many attempts there are in all, the first included.
  public var attempts: Int
  /// How long to wait before the second attempt, in seconds.
  public var delay: Double
  /// The factor of each further delay.
  public var factor: Double
  /// The longest delay, in seconds.
  public var maxDelay: Double

  /// A rule for retries.
  public init(attempts: Int = 1, delay: Double = 1, factor: Double = 2, maxDelay: Double = 30) {
    self.attempts = attempts
    self.delay = delay
    self.factor = factor
    self.maxDelay = maxDelay
  }

  /// Reads `retry`; each member may be missing.
  ///
  /// - Throws: −32602 for wrong members.
  init(_ members: ParamsReader) throws(WireError) {
    self.init()
    if let given = try members["attempts"]?.positiveInteger() { attempts = given }
    if let given = try members["delay"]?.seconds() { delay = given }
    if let given = try members["factor"]?.factor() { factor = given }
    if let given = try members["maxDelay"]?.seconds() { maxDelay = given }
  }
}
