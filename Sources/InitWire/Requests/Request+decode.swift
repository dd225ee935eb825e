package import InitJSON
internal import InitModel

extension Request {
  /// Reads a client's request.
  ///
  /// - Throws: −32601 for an unknown method, −32602 for wrong or missing params, −32001 for a `hello` with another version.
  package static func decode(method: String, params: RawJSON?) throws(WireError) -> Request {
    guard let method = Method(rawValue: method) else { throw .methodNotFound(method) }
    if let params, params.kind != .object { throw .invalidParams("params", "must be an object") }
    return switch method {
    case .hello: .hello(try HelloParams(checkingVersion: params))
    case .ping: .ping(params ?? .emptyObject)
    case .status: .status
    case .launch: .launch
    case .activate: .activate(try ActivateParams(params: params))
    case .release: .release
    case .deactivate: .deactivate(try DeactivateParams(params: params))
    case .subscribe: .subscribe(try SubscribeParams(params: params))
    case .unsubscribe: .unsubscribe
    case .wait: .wait(try WaitParams(params: params))
    case .register: .register(try RegisterParams(params: params))
    case .unregister: .unregister(try UnregisterParams(params: params))
    case .logs: .logs(try LogsParams(params: params))
    case .history: .history(try HistoryParams(params: params))
    case .rerun: .rerun(try RerunParams(params: params))
    case .cancelRun: .cancelRun(try CancelRunParams(params: params))
    case .reload: .reload(try ReloadParams(params: params))
    case .shutdown: .shutdown
    case .coordinate: .coordinate
    case .manage: .manage
    }
  }
}

extension SupervisorRequest {
  /// Reads a request of the supervisor.
  ///
  /// - Throws: −32601 for an unknown method, −32602 for wrong or missing params.
  package static func decode(method: String, params: RawJSON?) throws(WireError) -> SupervisorRequest {
    switch Method(rawValue: method) {
    case .run: .run(try RunParams(params: params))
    case .claim: .claim(try ClaimParams(params: params))
    case .complete: .complete(try CompleteParams(params: params))
    case nil: throw .methodNotFound(method)
    }
  }
}

extension Notification {
  /// Reads a notification; nil for an unknown one, which is ignored (protocol §2).
  ///
  /// - Throws: −32602 for wrong or missing params. A notification isn't answered; the error is for the log.
  package static func decode(method: String, params: RawJSON?) throws(WireError) -> Notification? {
    switch Method(rawValue: method) {
    case .progress: .progress(try ProgressParams(params: params))
    case .cancel: .cancel(try CancelParams(params: params))
    case .event: .event(try Status.Event(params: params, .lenient))
    case .unclaim: .unclaim(try UnclaimParams(params: params, .lenient))
    case .renew: .renew(try RenewParams(params: params))
    case .revoke: .revoke(try RevokeParams(params: params))
    case nil: nil
    }
  }
}

extension Shape {
  /// Reads the params of a message; missing params count as `{}`.
  ///
  /// - Throws: −32602 with the path of the invalid member.
  fileprivate init(params: RawJSON?, _ manner: ReadingManner = .strict) throws(WireError) {
    do throws(ShapeFault) {
      self = try Self.read(params ?? .emptyObject, manner)
    } catch {
      throw .invalidParams("params\(error.path)", error.reason)
    }
  }
}

extension HelloParams {
  /// Reads the version first, because another version may have other members.
  fileprivate init(checkingVersion params: RawJSON?) throws(WireError) {
    if let version = params?["protocol"]?.integer.flatMap(Int.init(exactly:)), version != Self.version {
      throw .unsupportedProtocol(version, supported: [Self.version])
    }
    try self.init(params: params)
  }
}
