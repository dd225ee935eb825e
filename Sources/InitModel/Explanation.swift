public import InitJSON

/// Explains the status of an initializer, a phase or the app: a tree whose leaves run now, failed first, or are missing.
///
/// `initctl why` shows it. The texts may have control characters: escape them before you print them.
public struct Explanation: Sendable, Shape {
  /// The name of the initializer or kept process; or `ready`, `composite`, `launch`, `active` or `app`.
  public var name = ""
  /// The status in the protocol's words, `undeclared`, or a kept process's `notRunning`, `restarted` or `unregistered`.
  public var status = ""
  /// The time since which the subject has this status, in seconds since the Unix epoch; nil if it isn't known.
  ///
  /// If the subject waits in a pass: the time at which the pass could begin.
  public var since: Double?
  /// The usual duration, in seconds: the median of the complete passes that are kept; nil without one.
  public var usual: Double?
  /// Further explanation; it may be empty.
  package var detail = ""
  package var remedy: String?
  /// The process id of the command that runs, or of the kept process.
  public var pid: Int?
  /// The last lines that the subject's run wrote; nil without any.
  public var output: [String]?
  /// The causes: what the subject waits for, or what stopped it.
  ///
  /// Each subject is explained once: if it is listed again, this is empty.
  public var because: [Explanation] = []
  /// The run whose output explains more.
  package var run: Int?

  /// The explanation and the remedy, in one line; it may be empty.
  public var message: String {
    [detail.isEmpty ? nil : detail, remedy].compactMap(\.self).joined(separator: "; ")
  }

  /// Creates an empty value, to be filled by reading.
  public init() {}

  /// Explains a status.
  package init(_ name: String, _ status: String, _ detail: String = "", remedy: String? = nil) {
    self.name = name
    self.status = status
    self.detail = detail
    self.remedy = remedy
  }

  /// Visits the members, in the order in which they are written.
  public mutating func visit(_ json: inout Members) throws(ShapeFault) {
    var message = message
    try json.required("name", &name)
    try json.required("status", &status)
    try json.optional("since", &since)
    try json.optional("usual", &usual)
    try json.optional("pid", &pid)
    try json.required("message", &message)
    try json.optional("output", &output)
    try json.required("because", &because)
    if json.isReading {
      detail = message
      remedy = nil
    }
  }
}
