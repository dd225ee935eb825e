/// The error codes of protocol §7.
public enum ErrorCode: Int, Sendable, Equatable, CaseIterable {
  /// A frame or payload that can't be read (JSON-RPC).
  case parseError = -32700
  /// A payload that isn't a message, or one that may not be sent now (JSON-RPC).
  case invalidRequest = -32600
  /// A request that nobody knows (JSON-RPC).
  case methodNotFound = -32601
  /// Wrong or missing params; the message names the member (JSON-RPC).
  case invalidParams = -32602
  /// The supervisor's own fault (JSON-RPC).
  case internalError = -32603
  /// The client speaks another version; `data.supported` lists ours, then the connection is closed.
  case unsupportedProtocol = -32001
  /// The name has a live provider, or the manifest says otherwise.
  case nameConflict = -32002
  /// A `wait` ran out; `data.status` is the Status then.
  case timeout = -32003
  /// A name nobody declared.
  case unknownInitializer = -32004
  /// The peer's user may not do this.
  case notPermitted = -32005
  /// The supervisor takes no new work (S24).
  case shuttingDown = -32006
  /// Too many of something; `data.limit` names it.
  case limitExceeded = -32007
  /// A worker's answer to a cancelled run.
  case cancelled = -32008

  /// What `data.code` says; nil for JSON-RPC's own codes.
  public var name: String? {
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
    }
  }
}
