package import InitWire

/// One event of a subscription (protocol §5).
package struct ReceivedEvent: Sendable, Equatable {
  /// The event as read.
  package let params: EventParams
  /// Its params as the supervisor wrote them, members that this version doesn't know included.
  package let json: RawJSON

  /// An event as read and as written.
  package init(params: EventParams, json: RawJSON) {
    self.params = params
    self.json = json
  }

  /// What is at one moment, as an event: `{"topic":"snapshot","snapshot":Status}`.
  ///
  /// - Throws: `StrictJSON.Fault` where `status` isn't the text of one JSON value.
  static func snapshot(_ status: StatusShape, json: RawJSON) throws(StrictJSON.Fault) -> ReceivedEvent {
    let text = Array("{\"topic\":\"snapshot\",\"snapshot\":".utf8) + json.bytes + [UInt8(ascii: "}")]
    return ReceivedEvent(params: EventParams(unnumbered: .snapshot(status)), json: try RawJSON(checking: text))
  }

  /// Word that events were dropped on this side: `{"topic":"lagged","dropped":N}`.
  static func lagged(dropped: Int) -> ReceivedEvent {
    let text = Array("{\"topic\":\"lagged\",\"dropped\":\(dropped)}".utf8)
    // The text is this file's own, and JSON.
    let json = (try? RawJSON(checking: text)) ?? .emptyObject
    return ReceivedEvent(params: EventParams(unnumbered: .lagged(dropped: dropped)), json: json)
  }
}
