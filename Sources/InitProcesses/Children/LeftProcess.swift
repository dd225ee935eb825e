/// A process that a child left running.
public struct LeftProcess: Hashable, Sendable, CustomStringConvertible {
  /// The process id.
  public let pid: Int32
  /// The name in the system: the first 15 bytes of the program's name, unless the process has set another.
  public let name: String

  /// The process as a text for messages: "sleep (pid 42)".
  public var description: String { "\(name) (pid \(pid))" }
}

extension [LeftProcess] {
  /// The maximum number of processes that are named in a message.
  private static var named: Int { 10 }

  /// Returns a sentence that reports that these processes were killed; nil if the list is empty.
  ///
  /// - Parameter owner: the program that left these processes.
  /// - Returns: the sentence, or nil.
  public func report(of owner: String) -> String? {
    guard !isEmpty else { return nil }
    return "\(owner) left processes running, which were killed: \(list); wait for them, or start them with setsid"
  }

  /// The first of these processes, and the number of the others.
  public var list: String {
    let names = prefix(Self.named).map(\.description).joined(separator: ", ")
    return count > Self.named ? "\(names) and \(count - Self.named) more" : names
  }
}
