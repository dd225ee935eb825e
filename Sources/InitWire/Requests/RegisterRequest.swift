package import InitJSON
internal import InitModel
package import InitWords

/// Registers initializers: all or none (S18, S19; protocol §4, §6).
package struct RegisterRequest: ClientRequest, Shape {
  package static let method = "register"
  package static let roles: [Role] = [.register]
  package static let since = "0.1.0"

  /// The initializers that the worker provides from now on, in order.
  package var initializers: [RegisterRequest.Registration]

  package init(initializers: [RegisterRequest.Registration]) { self.initializers = initializers }

  package init() { self.init(initializers: []) }

  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("initializers", &initializers)
    var seen: Set<String> = []
    for (index, name) in initializers.lazy.map(\.name).enumerated() where !seen.insert(name).inserted {
      throw ShapeFault(path: ".initializers[\(index)].name", reason: "must not name \"\(name)\" a second time")
    }
  }

  /// One initializer that a worker registers (protocol §4).
  package struct Registration: Sendable, Shape {
    package var name: String
    /// The priority.
    ///
    /// If nil, the manifest's applies, or else `appLaunch`.
    package var priority: Priority?
    /// The names of the dependencies, in order.
    ///
    /// If nil, the dependencies of the manifest apply; without a manifest, there are none.
    package var dependencies: [String]?
    /// The timeout of one run, in seconds (S15); nil for none.
    package var timeout: Double?
    /// The retry policy for failed runs (S16); nil for no retries.
    package var retry: RegisterRequest.Retry?
    /// Whether the effect ends with the worker's process (S22).
    package var perProcess: Bool?
    /// Whether the pass continues if it fails (S8).
    package var optional: Bool?
    /// The description, for people.
    package var description: String?

    /// Describes an initializer to register.
    package init(
      name: String, priority: Priority? = nil, dependencies: [String]? = nil, timeout: Double? = nil,
      retry: RegisterRequest.Retry? = nil, perProcess: Bool? = nil, optional: Bool? = nil, description: String? = nil
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

    package init() { self.init(name: "") }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("name", &name, .initializerName)
      try json.optional("priority", &priority)
      var dependencies = self.dependencies.map(NameList.init)
      try json.optional("dependencies", &dependencies)
      self.dependencies = dependencies?.names
      if let names = dependencies?.names, let clash = InputVariableName.clash(in: names) {
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

  /// The retry policy for failed runs (protocol §4, S16); the defaults are those of S16.
  package struct Retry: Sendable, Shape {
    /// The number of attempts, including the first one.
    package var attempts: Int
    /// The delay before the second attempt, in seconds.
    package var delay: Double
    /// The factor by which each further delay grows.
    package var factor: Double
    /// The maximum delay, in seconds.
    package var maxDelay: Double

    /// Creates a policy for retries.
    package init(attempts: Int = 1, delay: Double = 1, factor: Double = 2, maxDelay: Double = 30) {
      self.attempts = attempts
      self.delay = delay
      self.factor = factor
      self.maxDelay = maxDelay
    }

    package init() { self.init(attempts: 1) }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.optional("attempts", &attempts, .positive)
      try json.optional("delay", &delay, .seconds)
      try json.optional("factor", &factor, .factor)
      try json.optional("maxDelay", &maxDelay, .seconds)
    }
  }

  /// The result of `register`.
  package struct Result: Sendable, Shape {
    /// The names that this connection now provides.
    package var registered: [String] = []

    package init() {}

    /// Creates the answer to `register`.
    package init(registered: [String]) { self.registered = registered }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("registered", &registered)
    }
  }
}
