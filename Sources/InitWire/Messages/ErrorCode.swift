/// The error codes of protocol §7.
package enum ErrorCode: Int, Sendable, Equatable, CaseIterable {
  /// A malformed frame or payload (JSON-RPC).
  case parseError = -32700
  /// A payload that isn't a message, or a message that may not be sent now (JSON-RPC).
  case invalidRequest = -32600
  /// An unknown request (JSON-RPC).
  case methodNotFound = -32601
  /// Wrong or missing params; the message names the member (JSON-RPC).
  case invalidParams = -32602
  /// An internal error of the supervisor (JSON-RPC).
  case internalError = -32603
  /// The client uses another version; `data.supported` lists ours, then the connection is closed.
  case unsupportedProtocol = -32001
  /// The name has a live provider, or conflicts with the manifest.
  case nameConflict = -32002
  /// A `wait` timed out; `data.status` is the Status at that moment.
  case timeout = -32003
  /// An unknown name.
  case unknownInitializer = -32004
  /// Permission denied.
  case notPermitted = -32005
  /// The supervisor takes no new work (S24).
  case shuttingDown = -32006
  /// A limit is exceeded; `data.limit` names it.
  case limitExceeded = -32007
  /// A worker's answer to a cancelled run.
  case cancelled = -32008
  /// An initializer doesn't run, so it can't be cancelled (S34), or never runs, so it can't run again (S26).
  ///
  /// `data.initializers` has the status of each.
  case notRunning = -32009
  /// An initializer runs in active passes, and the app is inactive (S26).
  case inactive = -32010
  /// The configuration that was read again has mistakes.
  ///
  /// `data.findings` lists the mistakes, and nothing has changed.
  case invalidManifest = -32011
  /// The configuration can't be read again; nothing has changed.
  case unreadableManifest = -32012

  /// The value of `data.code`; nil for JSON-RPC's own codes.
  package var name: String? {
    switch self {
    case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError: nil
    case .unsupportedProtocol: "unsupportedProtocol"
    case .nameConflict: "nameConflict"
    case .timeout: "timeout"
    case .unknownInitializer: "unknownInitializer"
    case .notPermitted: "notPermitted"
    case .shuttingDown: "shuttingDown"
    case .limitExceeded: "limitExceeded"
    case .cancelled: "cancelled"
    case .notRunning: "notRunning"
    case .inactive: "inactive"
    case .invalidManifest: "invalidManifest"
    case .unreadableManifest: "unreadableManifest"
    }
  }
}
