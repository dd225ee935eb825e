internal import InitJSON
internal import InitModel

/// A JSON Schema of every message of the protocol (`initctl schema --protocol`).
package enum ProtocolSchema {
  /// Returns the schema as JSON text, a definition a line.
  ///
  /// A message is a request or a notification of `methods`, with those params; an answer with that result; or one with an error.
  package static func text() -> String {
    let book = SchemaBook()
    let error = book.define(WireError.self)
    let lines =
      clientRequests.map { request in method(request, in: book, rules: (request.roles, request.since)) }
      + supervisorRequests.map { request in method(request, in: book) }
      + notifications.map { notification in
        let params = notification.form(in: book)
        return line { writer in
          writer.key(named: notification.method)
          writer.object { writer in
            writer.key("params")
            SchemaBook.write(params, to: &writer)
          }
        }
      }
    let defined = book.definitions.map { each in line { book.write(each, to: &$0) } }
    return """
      {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "The params, results and errors of the protocol of initd, version \(HelloRequest.version)",
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

  /// Returns the member of a request, without its comma.
  private static func method<Sent: Request>(
    _: Sent.Type, in book: SchemaBook, rules: (roles: [Role], since: String)? = nil
  ) -> String {
    let (params, result) = (Sent.form(in: book), Sent.Result.form(in: book))
    return line { writer in
      writer.key(named: Sent.method)
      writer.object { writer in
        writer.key("params")
        SchemaBook.write(params, to: &writer)
        writer.key("result")
        SchemaBook.write(result, to: &writer)
        guard let rules else { return }
        writer.key("roles")
        writer.array { writer in for role in rules.roles { writer.string(role.rawValue) } }
        writer.key("since")
        writer.string(rules.since)
      }
    }
  }

  /// Returns the members that `body` writes, without the braces of their object.
  private static func line(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    writer.object(body)
    return String(decoding: writer.take().dropFirst().dropLast(), as: UTF8.self)
  }
}
