internal import Fleet
internal import InitJSON
internal import InitWire

/// An initializer that runs once for a release, in the status of a fleet.
struct OnceStatus: Shape {
  /// The state of the work.
  enum State: String, WireWord {
    /// A host runs it.
    case running
    /// A host has completed it.
    case complete
    /// The initializer has failed on a host, and no host runs it.
    case failed
  }

  private(set) var initializer = ""
  private(set) var release = ""
  private(set) var state: Word<State> = .unknown("")
  /// The host that runs it, or has completed it.
  private(set) var host = ""
  /// The fencing token of the run.
  private(set) var fence = 0
  /// What the run reports, or why it has failed.
  private(set) var message: String?
  /// When it was completed or has failed, in seconds since the Unix epoch.
  private(set) var time: Double?

  init() {}

  mutating func visit(_ json: inout Members) throws(ShapeFault) {
    try json.required("initializer", &initializer)
    try json.required("release", &release)
    try json.required("state", &state)
    try json.required("host", &host)
    try json.required("fence", &fence)
    try json.optional("message", &message)
    try json.optional("time", &time)
  }

  /// Reads the keys of a fleet, in the order of releases and names.
  ///
  /// Keys and values of an unknown form are left out.
  static func list(_ entries: [(key: String, value: [UInt8], created: Int)], _ keys: FleetKeys) -> [OnceStatus] {
    let claimed = Set(entries.map(\.key))
    return entries.compactMap { key, value, created in
      guard let words = keys.words(of: key, after: keys.once), words.count == 3 else { return nil }
      var status = OnceStatus()
      status.release = words[0]
      status.initializer = words[1]
      switch words[2] {
      case "claim":
        guard let record = try? RawJSON(checking: value).read(ClaimRecord.self) else { return nil }
        status.state = .known(.running)
        status.host = record.host
        status.fence = created
        status.message = record.progress
      case "done":
        guard let record = try? RawJSON(checking: value).read(DoneRecord.self) else { return nil }
        status.state = .known(.complete)
        status.host = record.host
        status.fence = record.fence
        status.time = record.time
      case "failed":
        guard !claimed.contains(keys.once(words[1], release: words[0]).claim),
          let record = try? RawJSON(checking: value).read(FailureRecord.self)
        else { return nil }
        status.state = .known(.failed)
        status.host = record.host
        status.fence = record.fence
        status.time = record.time
        status.message = record.message
      default: return nil
      }
      return status
    }
  }
}
