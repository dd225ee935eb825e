internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import InitClient
internal import NIOCore
internal import WebStatus

/// The forms of answers.
enum Answer {
  /// The protocol's code for a request with wrong values.
  private static let invalidParams = -32602

  /// The policy for pages: they may load only files of this server.
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    + "form-action 'none'; frame-ancestors 'none'"

  /// Returns the headers of every answer.
  static func headers(type: String, _ more: HTTPFields = [:]) -> HTTPFields {
    var headers: HTTPFields = [
      .contentType: type, .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
      .init("Referrer-Policy")!: "no-referrer", .init("Cross-Origin-Resource-Policy")!: "same-origin",
    ]
    for field in more { headers[field.name] = field.value }
    return headers
  }

  /// A page.
  static func page(_ html: String) -> Response {
    bytes(Array(html.utf8), type: "text/html; charset=utf-8", headers: [.contentSecurityPolicy: policy])
  }

  /// Some bytes.
  static func bytes(_ bytes: [UInt8], type: String, headers more: HTTPFields = [:]) -> Response {
    Response(status: .ok, headers: headers(type: type, more), body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  /// Returns an answer with a JSON text; nil is a mistake of this program.
  static func json(_ text: String?, status: HTTPResponse.Status = .ok) -> Response {
    guard let text else { return error(.internalServerError, "internal", "the answer can't be encoded") }
    return Response(
      status: status, headers: headers(type: "application/json"),
      body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n")))
  }

  /// Returns an error: a word for programs, and a message for people.
  static func error(
    _ status: HTTPResponse.Status, _ code: String, _ message: String, retryAfter: Int? = nil
  ) -> Response {
    var response = json(try? JSONLine.text(["error": ["code": code, "message": message]]), status: status)
    if let retryAfter { response.headers[.retryAfter] = String(retryAfter) }
    return response
  }

  /// Returns the refusal of a request that isn't allowed.
  static func refusal(_ refusal: Access.Refusal) -> Response {
    let status = HTTPResponse.Status(code: refusal.status)
    var response = error(status, "notAllowed", refusal.message)
    if refusal.status == 401 { response.headers[.wwwAuthenticate] = "Bearer" }
    return response
  }

  /// Returns the answer to an error of the supervisor, or to a timeout.
  static func error(_ error: any Error) -> Response {
    guard let error = error as? SupervisorError else {
      return self.error(
        .gatewayTimeout, "timedOut", "the supervisor hasn't answered in time; check that it isn't stopped")
    }
    let status: HTTPResponse.Status =
      switch error.kind {
      case .refused where error.code == invalidParams: .badRequest
      case .notPermitted: .forbidden
      case .unknownInitializer, .unknownPass: .notFound
      case .inactive, .nameConflict, .notRunning: .conflict
      case .unusableName: .badRequest
      case .timedOut: .gatewayTimeout
      case .unreachable, .connectionLost, .closed, .shuttingDown, .noSocketPath, .limitExceeded: .serviceUnavailable
      default: .badGateway
      }
    return self.error(status, error.kind.rawValue, error.description)
  }
}
