/// A Status as JSON text, truncated so that it always fits in a frame.
///
/// Its long parts are texts of other programs (messages of runs and errors) and cycles. If the Status would be too long, these are
/// shortened step by step. The sizes of declared names and dependencies are bounded at registration.
public struct StatusText: Sendable, Equatable {
  /// The maximum size of the text in bytes: that of a frame, less the rest of its message.
  public static let longest = Frame.largestPayload - 16 * 1024
  /// The text.
  public let bytes: [UInt8]
  /// Where the members of the moment end in it.
  private let momentEnd: Int

  /// How much of the texts of other programs a Status contains.
  package enum Detail: CaseIterable, Sendable {
    /// The complete texts.
    case whole
    /// 64 bytes of a message, and 16 names of a cycle.
    case short
    /// None.
    case none
  }

  /// Writes a Status.
  ///
  /// - Parameter limit: the maximum size of the text in bytes. If a Status without messages doesn't fit either, the text is longer.
  public init(_ status: StatusShape, limit: Int = longest) {
    for detail in Detail.allCases {
      if let text = Self.text(status, detail, limit: detail == .none ? .max : limit) {
        self = text
        return
      }
    }
    (bytes, momentEnd) = ([], 0)
  }

  private init(_ bytes: [UInt8], momentEnd: Int) { (self.bytes, self.momentEnd) = (bytes, momentEnd) }

  /// The same Status at a later moment: with the time, uptime and processes of another one. What else it has is not encoded again.
  package func at(_ moment: StatusShape) -> StatusText {
    var writer = JSONWriter(reserving: bytes.count + 64 + 256 * (moment.processes?.count ?? 0))
    Self.write(moment, to: &writer) { (status, writer) throws(ShapeFault) in try status.visitMoment(&writer) }
    writer.reopen()
    let end = writer.count
    writer.add(bytes[momentEnd...])
    return StatusText(writer.take(), momentEnd: end)
  }

  private static func text(_ status: StatusShape, _ detail: Detail, limit: Int) -> StatusText? {
    var writer = JSONWriter(reserving: min(limit, 512 + 320 * status.initializers.count))
    writer.detail = detail
    writer.limit = limit
    var end = 0
    write(status, to: &writer) { (status, writer) throws(ShapeFault) in
      try status.visitMoment(&writer)
      end = writer.count
      try status.visitState(&writer)
    }
    return writer.isTooLong ? nil : StatusText(writer.take(), momentEnd: end)
  }

  private static func write(
    _ status: StatusShape, to writer: inout JSONWriter,
    _ visit: (inout StatusShape, inout JSONWriter) throws(ShapeFault) -> Void
  ) {
    var status = status
    do throws(ShapeFault) {
      try writer.object { writer throws(ShapeFault) in try visit(&status, &writer) }
    } catch {
      preconditionFailure("the supervisor's own numbers are finite: \(error)")
    }
  }
}

extension StatusText.Detail {
  func cut(_ message: String) -> String {
    switch self {
    case .whole: message
    case .short: message.cut(to: 64, mark: "…")
    case .none: ""
    }
  }

  func cut(_ cycle: [String]) -> [String] {
    switch self {
    case .whole: cycle
    case .short: Array(cycle.prefix(16))
    case .none: []
    }
  }
}
