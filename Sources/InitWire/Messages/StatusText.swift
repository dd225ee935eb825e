internal import InitJSON
package import InitModel
internal import InitText

/// A Status as JSON text, shortened if necessary to fit in a frame.
///
/// The long parts of a Status are texts of other programs (messages of runs and errors) and cycles. If the Status would be too long, these
/// are shortened step by step. The sizes of declared names and dependencies are bounded at registration.
package struct StatusText: Sendable, Equatable {
  /// The maximum size of the text in bytes: that of a frame, less the rest of its message.
  package static let longest = Frame.largestPayload - 16 * 1024
  /// The first part: the opening brace, and the members of its moment.
  let moment: [UInt8]
  /// The rest: a comma, the other members, and the closing brace.
  ///
  /// The same memory is used for all times.
  let state: [UInt8]

  /// The size in bytes.
  package var count: Int { moment.count + state.count }
  package var bytes: [UInt8] { moment + state }

  /// Writes a Status.
  ///
  /// `limit` is the maximum size of the text in bytes. If a Status without messages doesn't fit either, the text is longer. `initializers`
  /// are the texts of a Status that doesn't contain the shapes.
  package init(_ status: Status, limit: Int = longest, initializers: (() -> [Initializer])? = nil) {
    let moment = Self.moment(status)
    let limit = limit - moment.count
    if let whole = Self.state(status, .whole, limit: limit) {
      self.init(moment: moment, state: whole)
      return
    }
    var status = status
    if let initializers {
      status.initializers = initializers()
      status.initializerTexts = nil
    }
    let shorter = Self.state(status, .short, limit: limit) ?? Self.state(status, .none, limit: .max)
    self.init(moment: moment, state: shorter ?? [])
  }

  private init(moment: [UInt8], state: [UInt8]) {
    self.moment = moment
    self.state = state
  }

  /// Returns the same Status at a later moment: with the time, uptime, subscribers and processes of another Status.
  ///
  /// Only the members that change with time are encoded again.
  package func at(_ moment: Status) -> StatusText { StatusText(moment: Self.moment(moment), state: state) }

  private static func moment(_ status: Status) -> [UInt8] {
    var writer = JSONWriter(reserving: 256 + 256 * (status.processes?.count ?? 0))
    write(status, to: &writer) { (status, members) throws(ShapeFault) in try status.visitMoment(&members) }
    writer.reopen()
    return writer.take()
  }

  private static func state(_ status: Status, _ detail: JSONWriter.Detail, limit: Int) -> [UInt8]? {
    var writer = JSONWriter(
      reserving: min(limit, 512 + 320 * (status.initializerTexts?.count ?? status.initializers.count)))
    writer.detail = detail
    writer.limit = limit
    write(status, to: &writer) { (status, members) throws(ShapeFault) in try status.visitState(&members) }
    guard !writer.isTooLong else { return nil }
    // The snapshot is behind the members of the moment.
    writer.withBytes { $0[0] = UInt8(ascii: ",") }
    return writer.take().fitted
  }

  private static func write(
    _ status: Status, to writer: inout JSONWriter,
    _ visit: (inout Status, inout Members) throws(ShapeFault) -> Void
  ) {
    var status = status
    do throws(ShapeFault) {
      try writer.members { members throws(ShapeFault) in try visit(&status, &members) }
    } catch {
      preconditionFailure("the supervisor's own numbers are finite: \(error)")
    }
  }
}
