/// The kind of component that runs an initializer.
public enum ProviderKind: String, Hashable, Sendable, CaseIterable {
  /// A Swift object of this process.
  case inProcess
  /// A program that the supervisor spawns.
  case command
  /// Another process, which registered it over the socket.
  case worker
  /// The supervisor itself waits for something outside of it (S31).
  case waitFor
  /// A process that the supervisor keeps running: a run starts it, and completes when it is ready (S32).
  case process

  /// Whether a run takes a slot of the concurrency: one that only waits takes none (S6).
  package var takesSlot: Bool {
    switch self {
    case .inProcess, .command, .worker: true
    case .waitFor, .process: false
    }
  }

  /// Whether a completion under an earlier supervisor counts: not if it is gone with that process, or is checked at each start (S31).
  package var isRemembered: Bool {
    switch self {
    case .command, .worker: true
    case .inProcess, .waitFor, .process: false
    }
  }
}
