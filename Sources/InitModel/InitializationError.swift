public import InitJSON
public import InitWords

/// An initialization error (protocol §3, S2): the initializer, the problem, and a message.
public struct InitializationError: Error, Sendable, Shape, CustomStringConvertible {
  /// The problem: `code` on the wire, with its members.
  public enum Reason: Sendable, Equatable {
    /// The whole cycle in order; its first name is also its last.
    case circularDependency(cycle: [String])
    /// The name that is missing.
    case missingDependency(dependency: String)
    /// The initializer's name was declared twice.
    case duplicateInitializer
    /// A run of the initializer failed.
    case initializerFailed(cause: Cause)
    /// An error of a later version; its message describes it.
    case unknown(code: String)
  }

  /// The initializer that the error concerns.
  public var initializer: String
  /// The problem.
  public var reason: Reason
  /// The message, for people.
  public var message: String
  /// All errors of a pass that continued after the first one, including the first one (S28); left out if there is only one.
  public var errors: [InitializationError]?

  /// The message.
  public var description: String { message }

  /// The maximum number of listed errors.
  package static let mostErrors = 256

  /// Creates an error of an initializer.
  package init(initializer: String, reason: Reason, message: String) {
    self.initializer = initializer
    self.reason = reason
    self.message = message
  }

  /// The values of `code`.
  private enum Code: String, WireWord {
    case circularDependency, missingDependency, duplicateInitializer, initializerFailed
  }

  /// Creates an empty value, to be filled by reading.
  public init() { self.init(initializer: "", reason: .duplicateInitializer, message: "") }

  private var code: Word<Code> {
    switch reason {
    case .circularDependency: .known(.circularDependency)
    case .missingDependency: .known(.missingDependency)
    case .duplicateInitializer: .known(.duplicateInitializer)
    case .initializerFailed: .known(.initializerFailed)
    case .unknown(let code): .unknown(code)
    }
  }

  /// Visits the members.
  ///
  /// For an error that this version doesn't know, the initializer and the message are read if they exist.
  public mutating func visit(_ json: inout Members) throws(ShapeFault) {
    var code = code
    try json.required("code", &code)
    guard !json.isDescribing else { return describe(&json) }
    if case .unknown(let word) = code {
      reason = .unknown(code: word)
      message = json.isReading ? word : json.detail.cut(message)
      try json.optional("initializer", &initializer)
      try json.optional("message", &message)
      return
    }
    try json.required("initializer", &initializer)
    switch code.known {
    case .circularDependency:
      var cycle: [String] = if case .circularDependency(let cycle) = reason { json.detail.cut(cycle) } else { [] }
      try json.required("cycle", &cycle)
      reason = .circularDependency(cycle: cycle)
    case .missingDependency:
      var dependency = if case .missingDependency(let dependency) = reason { dependency } else { "" }
      try json.required("dependency", &dependency)
      reason = .missingDependency(dependency: dependency)
    case .initializerFailed:
      var cause = if case .initializerFailed(let cause) = reason { cause } else { Cause() }
      try json.required("cause", &cause)
      reason = .initializerFailed(cause: cause)
    case .duplicateInitializer, nil: break
    }
    message = json.detail.cut(message)
    try json.required("message", &message)
    try json.optional("errors", &errors)
  }

  private mutating func describe(_ json: inout Members) {
    var (names, name, cause) = ([""], "", Cause())
    for code in Code.allCases {
      json.variant("code", code.rawValue) { json throws(ShapeFault) in
        try json.required("initializer", &initializer)
        switch code {
        case .circularDependency: try json.required("cycle", &names)
        case .missingDependency: try json.required("dependency", &name)
        case .initializerFailed: try json.required("cause", &cause)
        case .duplicateInitializer: break
        }
        try json.required("message", &message)
        try json.optional("errors", &errors)
      }
    }
  }
}
