package import InitModel
internal import InitWire

/// One event of a subscription (protocol §5).
package struct ReceivedEvent: Sendable, Equatable {
  /// The decoded event.
  package let params: Status.Event
  /// The params as the supervisor wrote them, including members that this version doesn't know.
  package let text: ArraySlice<UInt8>

  /// Creates a decoded event with its original text.
  package init(params: Status.Event, text: ArraySlice<UInt8>) {
    self.params = params
    self.text = text
  }

  /// Returns a snapshot as an event: `{"topic":"snapshot","snapshot":Status}`.
  static func snapshot(_ status: Status, text: ArraySlice<UInt8>) -> ReceivedEvent {
    ReceivedEvent(
      params: Status.Event(unnumbered: .snapshot(status)),
      text: Array("{\"topic\":\"snapshot\",\"snapshot\":".utf8) + text + [UInt8(ascii: "}")])
  }

  /// Returns the event that reports dropped events on this side: `{"topic":"lagged","dropped":N}`.
  static func lagged(dropped: Int) -> ReceivedEvent {
    ReceivedEvent(
      params: Status.Event(unnumbered: .lagged(dropped: dropped)),
      text: Array("{\"topic\":\"lagged\",\"dropped\":\(dropped)}".utf8)[...])
  }
}
