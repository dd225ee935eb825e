/// What runs an initializer.
public enum ProviderKind: String, Hashable, Sendable, CaseIterable {
  /// A Swift object of this process.
  case inProcess
  /// A program that the supervisor spawns.
  case command
  /// Another process, which registered it over the socket.
  case worker
}
