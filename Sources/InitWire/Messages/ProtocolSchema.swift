internal import InitJSON
internal import InitModel

/// A JSON Schema of every message of the protocol (`initctl schema --protocol`).
package enum ProtocolSchema {
  /// A method: what its params and its result look like; nil for params without members, and for a notification's result.
  private struct Method {
    let name: String
    let params: (any Shape.Type)?
    let result: (any Shape.Type)?

    init(_ name: Request.Method, _ params: (any Shape.Type)? = nil, _ result: any Shape.Type = EmptyResult.self) {
      (self.name, self.params, self.result) = (name.rawValue, params, result)
    }

    init(_ name: SupervisorRequest.Method, _ params: any Shape.Type, _ result: any Shape.Type) {
      (self.name, self.params, self.result) = (name.rawValue, params, result)
    }

    init(_ name: Notification.Method, _ params: any Shape.Type) {
      (self.name, self.params, self.result) = (name.rawValue, params, nil)
    }
  }

  private static let methods: [Method] =
    Request.Method.allCases.map(method) + [
      Method(.run, RunParams.self, EmptyResult.self), Method(.claim, ClaimParams.self, ClaimResult.self),
      Method(.complete, CompleteParams.self, EmptyResult.self), Method(.progress, ProgressParams.self),
      Method(.cancel, CancelParams.self), Method(.event, Status.Event.self), Method(.unclaim, UnclaimParams.self),
      Method(.renew, RenewParams.self), Method(.revoke, RevokeParams.self),
    ]

  private static func method(_ name: Request.Method) -> Method {
    switch name {
    case .hello: Method(name, HelloParams.self, HelloResult.self)
    case .status: Method(name, nil, Status.self)
    case .launch: Method(name, nil, LaunchResult.self)
    case .activate: Method(name, ActivateParams.self, ActivateResult.self)
    case .deactivate: Method(name, DeactivateParams.self, DeactivateResult.self)
    case .subscribe: Method(name, SubscribeParams.self, SubscribeResult.self)
    case .wait: Method(name, WaitParams.self, Status.State.self)
    case .register: Method(name, RegisterParams.self, RegisterResult.self)
    case .unregister: Method(name, UnregisterParams.self)
    case .logs: Method(name, LogsParams.self, LogsResult.self)
    case .history: Method(name, HistoryParams.self, HistoryResult.self)
    case .rerun: Method(name, RerunParams.self, RerunResult.self)
    case .cancelRun: Method(name, CancelRunParams.self, DeactivateResult.self)
    case .reload: Method(name, ReloadParams.self, ReloadResult.self)
    case .shutdown: Method(name, nil, ShutdownResult.self)
    case .coordinate: Method(name, nil, CoordinateResult.self)
    case .manage: Method(name, nil, ManageResult.self)
    case .ping, .release, .unsubscribe: Method(name)
    }
  }

  /// Returns the schema as JSON text, a definition a line.
  ///
  /// A message is a request or a notification of `methods`, with those params; an answer with that result; or one with an error.
  package static func text() -> String {
    let book = SchemaBook()
    let error = book.define(WireError.self)
    let forms = methods.map { ($0.name, $0.params?.form(in: book), $0.result?.form(in: book)) }
    let lines = forms.map { name, params, result in
      line { writer in
        writer.key(named: name)
        writer.object { writer in
          writer.key("params")
          SchemaBook.write(params ?? .object, to: &writer)
          guard let result else { return }
          writer.key("result")
          SchemaBook.write(result, to: &writer)
        }
      }
    }
    let defined = book.definitions.map { each in line { book.write(each, to: &$0) } }
    return """
      {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "The params, results and errors of the protocol of initd, version \(HelloParams.version)",
      "methods": {
      \(lines.joined(separator: ",\n"))
      },
      \(line { writer in
        writer.key("error")
        SchemaBook.write(error, to: &writer)
      }),
      "$defs": {
      \(defined.joined(separator: ",\n"))
      }
      }

      """
  }

  /// Returns the members that `body` writes, without the braces of their object.
  private static func line(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    writer.object(body)
    return String(decoding: writer.take().dropFirst().dropLast(), as: UTF8.self)
  }
}
