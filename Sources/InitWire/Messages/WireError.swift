package import InitJSON
package import InitModel
internal import InitText
package import InitWords

/// The `error` of an answer (protocol §2, §7): thrown for an invalid message, and sent unchanged.
///
/// The `data` of the error is `{"code":…}` with the members of that code. It is left out for JSON-RPC's own codes.
package struct WireError: Error, Sendable, Shape {
  /// The members of `data` besides `code`.
  package indirect enum Detail: Sendable, Equatable {
    /// The protocol versions that the supervisor supports, with `unsupportedProtocol`.
    case supported([Int])
    /// The Status at that moment, with `timeout`.
    case status(Status)
    /// The name of the limit, with `limitExceeded`.
    case limit(String)
    /// Initializers and their statuses, with `notRunning`.
    case initializers([WireError.Standing])
    /// The CPU time of a run in seconds, in a worker's answer.
    case cpu(Double)
    /// The mistakes of a configuration, with `invalidManifest`.
    case findings([ConfigurationChanges.Finding])
  }

  /// The code on the wire: an `ErrorCode`, or any number that a worker has chosen.
  package var code: Int
  /// The error message, for people.
  package var message: String
  /// The members of the code.
  package var detail: Detail?

  /// The code, if it is one of protocol §7.
  package var knownCode: ErrorCode? { ErrorCode(rawValue: code) }

  /// Creates an error with a code of protocol §7.
  package init(_ code: ErrorCode, _ message: String, detail: Detail? = nil) {
    self.init(code: code.rawValue, message: message, detail: detail)
  }

  /// Creates an error with any code, for example a worker's.
  package init(code: Int, message: String, detail: Detail? = nil) {
    self.code = code
    self.message = message
    self.detail = detail
  }

  /// Creates the error −32700 for a payload that isn't strict JSON (protocol §1).
  ///
  /// The answer to such a message has id null, and the connection stays open.
  package init(_ fault: StrictJSON.Fault) {
    self.init(.parseError, fault.description)
  }

  /// Creates the error −32700 for an invalid frame (protocol §1).
  ///
  /// The answer to such a frame has id null, and the connection is closed.
  package init(_ fault: FrameFault) {
    self.init(.parseError, fault.description)
  }

  /// Creates the error −32601 for an unknown request.
  package static func methodNotFound(_ method: String) -> WireError {
    WireError(.methodNotFound, "unknown method \"\(method.cut(to: 64, mark: "…"))\"")
  }

  /// Creates the error −32602 for an invalid member of the params (protocol §2).
  ///
  /// `path` is the path of the member, starting at `params`. `requirement` is the requirement, in the form "must be …".
  package static func invalidParams(_ path: String, _ requirement: String) -> WireError {
    WireError(.invalidParams, "\(path): \(requirement)")
  }

  /// Creates the error −32001 for a client with another protocol version (protocol §7).
  package static func unsupportedProtocol(_ version: Int, supported: [Int]) -> WireError {
    let list = supported.map(String.init).joined(separator: ", ")
    return WireError(
      .unsupportedProtocol, "unsupported protocol version \(version); supported: \(list)", detail: .supported(supported)
    )
  }

  package init() { self.init(code: 0, message: "") }

  /// Visits the members.
  ///
  /// A `data` with another shape is ignored.
  package mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("code", &code)
    try json.required("message", &message)
    var data = knownCode?.name == nil && detail == nil ? nil : ErrorData(self)
    try json.tolerated("data", &data)
    detail = data?.detail
  }

  /// The member `data`.
  struct ErrorData: Shape {
    var code: String?
    var detail: Detail?

    init() {}
    init(_ error: WireError) {
      code = error.knownCode?.name
      detail = error.detail
    }

    mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.tolerated("code", &code)
      var supported: [Int]? = if case .supported(let versions) = detail { versions } else { nil }
      var status: Status? = if case .status(let status) = detail { status } else { nil }
      var limit: String? = if case .limit(let limit) = detail { limit } else { nil }
      try json.tolerated("supported", &supported)
      try json.tolerated("status", &status)
      try json.tolerated("limit", &limit)
      var cpu: Double? = if case .cpu(let seconds) = detail { seconds } else { nil }
      try json.tolerated("cpu", &cpu)
      var initializers: [WireError.Standing]? =
        if case .initializers(let standings) = detail { standings } else { nil }
      try json.tolerated("initializers", &initializers)
      var findings: [ConfigurationChanges.Finding]? = if case .findings(let findings) = detail { findings } else { nil }
      try json.tolerated("findings", &findings)
      detail =
        supported.map(Detail.supported) ?? status.map(Detail.status) ?? limit.map(Detail.limit) ?? cpu.map(Detail.cpu)
        ?? initializers.map(Detail.initializers) ?? findings.map(Detail.findings)
    }
  }
}

extension WireError {
  /// An initializer and its status.
  package struct Standing: Sendable, Shape {
    package var name: String
    package var status: Word<InitializerStatus>

    /// Creates a name with its status.
    package init(name: String, status: InitializerStatus) {
      self.name = name
      self.status = .known(status)
    }

    package init() { self.init(name: "", status: .idle) }

    package mutating func visit(_ json: inout Members) throws(ShapeFault) {
      try json.required("name", &name)
      try json.required("status", &status)
    }
  }
}

extension WireError: CustomStringConvertible {
  /// The message and the code, for logs.
  package var description: String { "\(message) (\(code))" }
}
