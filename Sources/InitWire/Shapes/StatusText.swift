/// A Status as JSON text, written so that it always fits in a frame.
///
/// What is long in it are the words of others: messages of runs and errors, and cycles. Where a Status would be too long with all of them, they
/// are cut shorter, step by step. What is declared, names and dependencies, is bounded where it is registered.
public struct StatusText: Sendable, Equatable {
  /// The longest text, in bytes: that of a frame, less what is written around it.
  public static let longest = Frame.largestPayload - 16 * 1024
  /// The text.
  public let bytes: [UInt8]

  /// How much of what others say stands in a Status.
  package enum Detail: CaseIterable, Sendable {
    /// All of it.
    case whole
    /// 64 characters of a message, and 16 names of a cycle.
    case short
    /// None of it.
    case none
  }

  /// Writes a Status.
  ///
  /// - Parameter limit: the longest that the text may be, in bytes. Where not even a Status without messages fits, it is longer.
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
    case .short: WireError.clipped(message)
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
