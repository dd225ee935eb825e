/// A process that a child left running.
public struct LeftProcess: Hashable, Sendable, CustomStringConvertible {
  /// The process id.
  public let pid: Int32
  /// The name in the system: the first 15 bytes of the program's name, unless the process has set another.
  public let name: String

  /// For messages: "sleep (pid 42)".
  public var description: String { "\(name) (pid \(pid))" }
}

extension [LeftProcess] {
  /// The maximum number of processes that are named in a message.
  private static var named: Int { 10 }

  /// Returns a sentence that reports that they were killed; nil if there are none.
  ///
  /// - Parameter owner: the program that left them.
  /// - Returns: the sentence, or nil.
  public func report(of owner: String) -> String? {
    guard !isEmpty else { return nil }
    return "\(owner) left processes running, which were killed: \(list); wait for them, or start them with setsid"
  }

  /// The first of them, and how many more there are.
  public var list: String {
    let names = prefix(Self.named).map(\.description).joined(separator: ", ")
    return count > Self.named ? "\(names) and \(count - Self.named) more" : names
  }
}
