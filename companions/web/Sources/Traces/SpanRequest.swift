public import FoundationEssentials
internal import OTLPMessages
internal import SwiftProtobuf

/// Encodes a request of OTLP, and understands its answer.
public struct SpanRequest: Sendable {
  /// The type of a request's body.
  public static let contentType = "application/x-protobuf"

  private let resource: [Otlp_KeyValue]
  private let version: String

  /// `resource` has the attributes of all spans' resource.
  public init(resource: [(String, String)], version: String) {
    self.resource = resource.map { Otlp_KeyValue($0, .stringValue($1)) }
    self.version = version
  }

  /// Returns the body of a request with these spans.
  public func body(_ spans: some Collection<Span>) throws -> Data {
    var request = Otlp_ExportTraceServiceRequest()
    var rest = spans[...]
    while let instance = rest.first?.instance {
      let same = rest.prefix { $0.instance == instance }
      rest = rest[same.endIndex...]
      var part = Otlp_ResourceSpans()
      part.resource.attributes = resource + [Otlp_KeyValue("service.instance.id", .stringValue(instance))]
      var scope = Otlp_ScopeSpans()
      scope.scope.name = "initweb"
      scope.scope.version = version
      scope.spans = same.map(Otlp_SpanMessage.init)
      part.scopeSpans = [scope]
      request.resourceSpans.append(part)
    }
    return try request.serializedBytes()
  }

  /// Understands an answer.
  ///
  /// `retryAfter` is the value of that header. `now` is the time in seconds since the Unix epoch; a date in the header is compared with it.
  public static func answer(status: Int, body: Data, retryAfter: String?, now: Double) -> SpanQueue.Answer {
    switch status {
    case 200..<300:
      // A collector whose answer can't be read has accepted the spans.
      guard let answer = try? Otlp_ExportTraceServiceResponse(serializedBytes: body), answer.hasPartialSuccess else {
        return .taken(refused: 0, message: "")
      }
      let partial = answer.partialSuccess
      let refused = Int(clamping: partial.rejectedSpans)
      let reason = plain(partial.errorMessage)
      return .taken(
        refused: refused, message: reason.isEmpty && refused > 0 ? "the collector doesn't say why" : reason)
    case 429, 502, 503, 504:
      return .later(
        retryAfter.flatMap { RetryAfter.seconds($0, now: now) }, reason: "the collector answers with status \(status)")
    default:
      let text = (try? Otlp_ErrorAnswer(serializedBytes: body)).map { plain($0.message) } ?? ""
      return .refused(
        reason: "the collector answers with status \(status)" + (text.isEmpty ? "" : ": " + text))
    }
  }

  /// Returns another program's text, shortened, and without control characters.
  static func plain(_ text: String) -> String {
    let scalars = text.unicodeScalars.prefix(300).map { $0.properties.generalCategory == .control ? " " : $0 }
    return String(String.UnicodeScalarView(scalars))
  }
}

extension Otlp_KeyValue {
  fileprivate init(_ key: String, _ value: Otlp_AnyValue.OneOf_Value) {
    self.init()
    self.key = key
    self.value.value = value
  }
}

extension Otlp_SpanMessage {
  fileprivate init(_ span: Span) {
    self.init()
    traceID = Self.bytes(span.trace.high) + Self.bytes(span.trace.low)
    spanID = Self.bytes(span.id)
    if let parent = span.parent { parentSpanID = Self.bytes(parent) }
    // The flags: the span is sampled, and whether the parent belongs to another program is known.
    flags = 0x101 | (span.hasRemoteParent ? 0x200 : 0)
    name = span.name
    kind = .internal
    startTimeUnixNano = span.started
    endTimeUnixNano = max(span.started, span.ended)
    attributes = span.attributes.map { attribute in
      switch attribute.value {
      case .text(let text): Otlp_KeyValue(attribute.name, .stringValue(text))
      case .number(let number): Otlp_KeyValue(attribute.name, .intValue(Int64(number)))
      case .seconds(let seconds): Otlp_KeyValue(attribute.name, .doubleValue(seconds))
      }
    }
    events = span.events.map { event in
      var message = Event()
      message.name = event.name
      message.timeUnixNano = event.time
      return message
    }
    links = span.links.map { other in
      var link = Link()
      link.traceID = traceID
      link.spanID = Self.bytes(other)
      link.flags = 0x101
      return link
    }
    droppedLinksCount = UInt32(clamping: span.droppedLinks)
    if let error = span.error {
      status.code = .error
      status.message = error
    }
  }

  private static func bytes(_ number: UInt64) -> Data { withUnsafeBytes(of: number.bigEndian) { Data($0) } }
}
