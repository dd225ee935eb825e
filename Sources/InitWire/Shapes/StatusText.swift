/// A Status as JSON text, truncated so that it always fits in a frame.
///
/// Its long parts are texts of other programs (messages of runs and errors) and cycles. If the Status would be too long, these are
/// shortened step by step. The sizes of declared names and dependencies are bounded at registration.
public struct StatusText: Sendable, Equatable {
  /// The maximum size of the text in bytes: that of a frame, less the rest of its message.
  public static let longest = Frame.largestPayload - 16 * 1024
  /// The text.
  public let bytes: [UInt8]

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
        bytes = text
        return
      }
    }
    bytes = []
  }

  private static func text(_ status: StatusShape, _ detail: Detail, limit: Int) -> [UInt8]? {
    var writer = JSONWriter(reserving: min(limit, 512 + 320 * status.initializers.count))
    writer.detail = detail
    writer.limit = limit
    do throws(ShapeFault) {
      try status.write(to: &writer)
    } catch {
      preconditionFailure("the supervisor's own numbers are finite: \(error)")
    }
    return writer.isTooLong ? nil : writer.bytes
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
