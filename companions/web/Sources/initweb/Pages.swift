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
  /// Nil at an address for probes and metrics.
  let site: Site?

  /// Answers only probes and requests for metrics.
  var onlyProbes: Pages { Pages(board: board, metrics: metrics, site: nil) }

  func respond(to request: Request, context: Context) async throws -> Response {
    let path = request.uri.path
    guard request.head.authority != nil else {
      return Self.error(.badRequest, "badRequest", "a request must have one header Host with the name of a host", path)
    }
    switch request.method {
    case _ where site != nil && Site.isCommand(path): return try await answer(request, path)
    case .get: return try await answer(request, path)
    case .head: return try await answer(request, path).createHeadResponse()
    default:
      var refusal = Self.error(.methodNotAllowed, "badMethod", "only GET and HEAD are allowed", path)
      refusal.headers[.allow] = "GET, HEAD"
      return refusal
    }
  }

  private func answer(_ request: Request, _ path: String) async throws -> Response {
    if let probe = Probe(rawValue: String(path.dropFirst())), path.hasPrefix("/") {
      let answer = board.with { $0.answer(probe) }
      return try Self.json(answer.passes ? .ok : .serviceUnavailable, answer)
    }
    if path == "/metrics" {
      return Self.text(.ok, metrics.current, type: "text/plain; version=0.0.4; charset=utf-8")
    }
    guard let site else { return Self.error(.notFound, "notFound", "not found; there are: \(Self.probePaths)", path) }
    if let answer = try await site.answer(request, path) { return answer }
    return Self.error(.notFound, "notFound", Self.paths, path)
  }

  /// Returns an error; those of the API are JSON.
  private static func error(
    _ status: HTTPResponse.Status, _ code: String, _ message: String, _ path: String
  ) -> Response {
    guard path == "/api" || path.hasPrefix("/api/") else { return text(status, message + "\n") }
    return Answer.error(status, code, message)
  }

  private static let probePaths = (Probe.allCases.map { "/\($0.rawValue)" } + ["/metrics"]).joined(separator: ", ")

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
