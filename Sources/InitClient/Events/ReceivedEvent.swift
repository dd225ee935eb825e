package import InitWire

/// One event of a subscription (protocol §5).
package struct ReceivedEvent: Sendable, Equatable {
  /// The decoded event.
  package let params: EventParams
  /// Its params as the supervisor wrote them, including members that this version doesn't know.
  package let json: RawJSON

  /// A decoded event with its original text.
  package init(params: EventParams, json: RawJSON) {
    self.params = params
    self.json = json
  }

  /// A snapshot as an event: `{"topic":"snapshot","snapshot":Status}`.
  ///
  /// - Throws: `StrictJSON.Fault` if `status` isn't the text of one JSON value.
  static func snapshot(_ status: StatusShape, json: RawJSON) throws(StrictJSON.Fault) -> ReceivedEvent {
    let text = Array("{\"topic\":\"snapshot\",\"snapshot\":".utf8) + json.bytes + [UInt8(ascii: "}")]
    return ReceivedEvent(params: EventParams(unnumbered: .snapshot(status)), json: try RawJSON(checking: text))
  }

  /// The event that reports dropped events on this side: `{"topic":"lagged","dropped":N}`.
  static func lagged(dropped: Int) -> ReceivedEvent {
    let text = Array("{\"topic\":\"lagged\",\"dropped\":\(dropped)}".utf8)
    // The text is written here, and is valid JSON.
    let json = (try? RawJSON(checking: text)) ?? .emptyObject
    return ReceivedEvent(params: EventParams(unnumbered: .lagged(dropped: dropped)), json: json)
  }
}
