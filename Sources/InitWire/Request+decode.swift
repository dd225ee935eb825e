extension Request {
  /// Reads a client's request.
  ///
  /// - Throws: −32601 for an unknown method, −32602 for wrong or missing params, −32001 for a `hello` of another version.
  public static func decode(method: String, params: RawJSON?) throws(WireError) -> Request {
    guard let method = Method(rawValue: method) else { throw .methodNotFound(method) }
    let reader = try ParamsReader(params: params)
    return switch method {
    case .hello: .hello(try HelloParams(reader))
    case .ping: .ping(params ?? .emptyObject)
    case .status: .status
    case .launch: .launch
    case .activate: .activate(try ActivateParams(reader))
    case .release: .release
    case .deactivate: .deactivate(try DeactivateParams(reader))
    case .subscribe: .subscribe(try SubscribeParams(reader))
    case .unsubscribe: .unsubscribe
    case .wait: .wait(try WaitParams(reader))
    case .register: .register(try RegisterParams(reader))
    case .unregister: .unregister(try UnregisterParams(reader))
    case .logs: .logs(try LogsParams(reader))
    case .history: .history(try HistoryParams(reader))
    case .shutdown: .shutdown
    }
  }
}

extension WorkerRequest {
  /// Reads a request of the supervisor.
  ///
  /// - Throws: −32601 for an unknown method, −32602 for wrong or missing params.
  public static func decode(method: String, params: RawJSON?) throws(WireError) -> WorkerRequest {
    guard method == "run" else { throw .methodNotFound(method) }
    return .run(try RunParams(ParamsReader(params: params)))
  }
}

extension Notification {
  /// Reads a notification; nil for an unknown one, which must be ignored.
  ///
  /// - Throws: −32602 for wrong or missing params. A notification is never answered: that is for a log.
  public static func decode(method: String, params: RawJSON?) throws(WireError) -> Notification? {
    switch method {
    case "progress": return .progress(try ProgressParams(ParamsReader(params: params)))
    case "cancel": return .cancel(try CancelParams(ParamsReader(params: params)))
    case "event":
      do throws(ShapeFault) {
        return .event(try (params ?? .emptyObject).decode(EventParams.self))
      } catch {
        throw WireError(.invalidParams, "params\(error.path): \(error.reason)")
      }
    default: return nil
    }
  }
}
