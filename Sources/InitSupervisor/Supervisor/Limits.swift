public import InitRunner
public import InitServer

/// The limits of a supervisor.
///
/// A client that exceeds one gets an error.
public struct Limits: Sendable {
  /// What commands and processes may take.
  public var runs = RunLimits()
  /// What clients may take.
  public var clients = ClientLimits()
  /// The maximum number of known names, including those of the manifest.
  public var initializers = 10_000
  /// Bytes of the names and dependencies of all initializers, so a Status always fits into a frame.
  public var declarationBytes = 4 * 1024 * 1024
  /// Waits open at once on one connection.
  public var waits = 1000
  /// Waits open at once on all connections together.
  public var allWaits = 200_000
  /// Output lines kept for all commands.
  public var logLines = 10_000
  /// The maximum total size of the kept lines, in bytes.
  public var logBytes = 4 * 1024 * 1024

  /// Creates the default limits.
  public init() {}

  /// Returns the default of `clients.memory` for a process whose memory may be limited to this much: at most a quarter of it.
  static func memoryOfClients(within memory: Int?) -> Int { min(ClientLimits().memory, (memory ?? .max) / 4) }
}
