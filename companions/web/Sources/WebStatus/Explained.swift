/// Why an initializer or a phase has its status: a node of the tree of `initctl why`.
public struct Explained: Sendable, Equatable, Encodable {
  /// The name of the initializer or kept process; or `ready`, `launch`, `active` or `app`.
  public var name: String
  /// The status in the protocol's words.
  public var status: String
  /// The time of the last change of the status, in seconds since the Unix epoch.
  public var since: Double?
  /// How long the initializer usually takes, in seconds.
  public var usual: Double?
  /// The explanation, and the advice; it may be empty.
  public var message: String
  /// The process id of the initializer's command.
  public var pid: Int?
  /// The last lines that the initializer's run wrote.
  public var output: [String]?
  /// The causes: what the initializer waits for, or what stopped it.
  public var because: [Explained]

  /// Describes a node.
  public init(
    name: String, status: String, since: Double? = nil, usual: Double? = nil, message: String = "", pid: Int? = nil,
    output: [String]? = nil, because: [Explained] = []
  ) {
    self.name = name
    self.status = status
    self.since = since
    self.usual = usual
    self.message = message
    self.pid = pid
    self.output = output
    self.because = because
  }
}
