internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import WebStatus

/// Answers HTTP requests: probes and metrics from the followed state, everything else from the site.
struct Pages: HTTPResponder {
  typealias Context = BasicRequestContext

  let board: Board
  let metrics: MetricsText
  let site: Site

  func respond(to request: Request, context: Context) async throws -> Response {
    let path = request.uri.path
    let response: Response
    if let probe = Probe(rawValue: String(path.dropFirst())), path.hasPrefix("/") {
      let answer = board.with { $0.answer(probe) }
      response = try Self.json(answer.passes ? .ok : .serviceUnavailable, answer)
    } else if path == "/metrics" {
      response = Self.text(.ok, metrics.current, type: "text/plain; version=0.0.4; charset=utf-8")
    } else if let answer = try await site.answer(request, path) {
      response = answer
    } else {
      response = Self.text(.notFound, Self.paths)
    }
    switch request.method {
    case _ where Site.isCommand(path): return response
    case .get: return response
    case .head: return response.createHeadResponse()
    default:
      var refusal = Self.text(.methodNotAllowed, "only GET and HEAD are allowed\n")
      refusal.headers[.allow] = "GET, HEAD"
      return refusal
    }
  }

  /// The answer to an unknown path.
  private static let paths = """
    not found; there are:
      pages    \(Site.pages.joined(separator: ", "))
      probes   \(Probe.allCases.map { "/\($0.rawValue)" }.joined(separator: ", "))
      metrics  /metrics
      API      /api/v1/status, /api/v1/events, /api/v1/why, /api/v1/history; /api/v1/openapi.json describes it

    """

  private static func json(_ status: HTTPResponse.Status, _ value: some Encodable) throws -> Response {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return answer(status, Array(try encoder.encode(value)) + [UInt8(ascii: "\n")], type: "application/json")
  }

  private static func text(
    _ status: HTTPResponse.Status, _ text: String, type: String = "text/plain; charset=utf-8"
  ) -> Response { answer(status, Array(text.utf8), type: type) }

  private static func answer(_ status: HTTPResponse.Status, _ bytes: [UInt8], type: String) -> Response {
    Response(
      status: status,
      headers: [.contentType: type, .cacheControl: "no-store", .xContentTypeOptions: "nosniff"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}
