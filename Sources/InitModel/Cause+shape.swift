public import InitJSON
internal import InitText
public import InitWords

/// Why a run failed, on the wire (protocol §3, S2).
extension Cause: Shape {
  /// The values of `kind`.
  private enum Kind: String, WireWord { case error, exit, signal, timeout, workerLost, notFound, `operator` }

  /// Creates an empty value, to be filled by reading.
  public init() { self = .workerLost }

  private var kind: Word<Kind> {
    switch self {
    case .error: .known(.error)
    case .exit: .known(.exit)
    case .signal: .known(.signal)
    case .timeout: .known(.timeout)
    case .workerLost: .known(.workerLost)
    case .notFound: .known(.notFound)
    case .operator: .known(.operator)
    case .unknown(let kind): .unknown(kind)
    }
  }

  /// The message, the signal's name, or the user.
  private var text: String {
    switch self {
    case .error(let text), .notFound(let text), .signal(let text), .operator(let text): text
    case .exit, .timeout, .workerLost, .unknown: ""
    }
  }

  /// Visits `kind`, and the members of this kind.
  public mutating func visit(_ json: inout Members) throws(ShapeFault) {
    var kind = kind
    try json.required("kind", &kind)
    guard !json.isDescribing else { return Self.describe(&json) }
    var text = text
    switch kind {
    case .known(.error):
      text = json.detail.cut(text)
      try json.required("message", &text)
      self = .error(message: text)
    case .known(.notFound):
      text = json.detail.cut(text)
      try json.required("message", &text)
      self = .notFound(message: text)
    case .known(.signal):
      try json.required("signal", &text)
      self = .signal(text)
    case .known(.exit):
      var status = if case .exit(let status) = self { Int(status) } else { 0 }
      try json.required("status", &status)
      self = .exit(status: Int32(truncatingIfNeeded: status))
    case .known(.timeout):
      var after = 0.0
      var message: String?
      if case .timeout(let span, let words) = self {
        after = span.inSeconds
        message = words.map { json.detail.cut($0) }
      }
      try json.required("after", &after)
      try json.optional("message", &message)
      self = .timeout(after: .seconds(after), message: message)
    case .known(.workerLost): self = .workerLost
    case .known(.operator):
      try json.required("user", &text)
      self = .operator(user: text)
    case .unknown(let word): self = .unknown(kind: word)
    }
  }

  private static func describe(_ json: inout Members) {
    var (text, status, after) = ("", 0, 0.0)
    var message: String?
    for kind in [Kind.error, .notFound] {
      json.variant("kind", kind.rawValue) { json throws(ShapeFault) in try json.required("message", &text) }
    }
    json.variant("kind", "exit") { json throws(ShapeFault) in try json.required("status", &status) }
    json.variant("kind", "signal") { json throws(ShapeFault) in try json.required("signal", &text) }
    json.variant("kind", "timeout") { json throws(ShapeFault) in
      try json.required("after", &after)
      try json.optional("message", &message)
    }
    json.variant("kind", "workerLost")
    json.variant("kind", "operator") { json throws(ShapeFault) in try json.required("user", &text) }
  }
}
