/// A span, as it is exported.
public struct Span: Sendable, Equatable {
  /// The value of an attribute.
  public enum Value: Sendable, Equatable {
    /// A text.
    case text(String)
    /// A whole number.
    case number(Int)
    /// A number of seconds.
    case seconds(Double)
  }

  /// Something that is known about the span.
  public struct Attribute: Sendable, Equatable {
    /// The name.
    public var name: String
    /// The value.
    public var value: Value
  }

  /// A moment of the span.
  public struct Event: Sendable, Equatable {
    /// The name.
    public var name: String
    /// When, in nanoseconds since the Unix epoch.
    public var time: UInt64
  }

  /// The supervisor's execution.
  public var instance: String
  /// The trace.
  public var trace: TraceID
  /// The number in the trace.
  public var id: UInt64
  /// The parent; nil for the first of a trace.
  public var parent: UInt64?
  /// Whether the parent belongs to another program.
  public var hasRemoteParent = false
  /// The name.
  public var name: String
  /// The start of the span, in nanoseconds since the Unix epoch.
  public var started: UInt64
  /// The end of the span, in nanoseconds since the Unix epoch.
  public var ended: UInt64
  /// The attributes.
  public var attributes: [Attribute]
  /// The events.
  public var events: [Event] = []
  /// Spans of the same trace that this one waited for.
  public var links: [UInt64] = []
  /// How many links were left out.
  public var droppedLinks = 0
  /// Why the work of the span failed; nil if it didn't.
  public var error: String?

  /// The approximate number of bytes of the span in a request.
  var approximateBytes: Int {
    let texts = attributes.reduce(0) { total, attribute in
      guard case .text(let text) = attribute.value else { return total + 32 + attribute.name.utf8.count }
      return total + 16 + attribute.name.utf8.count + text.utf8.count
    }
    return 112 + name.utf8.count + texts + 40 * events.count + 40 * links.count + (error?.utf8.count ?? 0)
  }
}
