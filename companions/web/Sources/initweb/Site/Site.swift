internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import InitClient
internal import NIOCore
internal import Passes
internal import Synchronization
internal import WebPage
internal import WebStatus

/// The pages and the API.
struct Site: Sendable {
  let board: Board
  let hub: EventHub
  let explainer: Explainer
  let recent: RecentPasses
  let access: Access
  /// Nil without `--control-token-file`.
  let control: Control?
  /// The history; nil without `--history`.
  let history: History?

  /// The paths of the pages.
  static let pages = ["/", "/history", "/initializer", "/pass", "/splash"]
  private static let api = "/api/v1/"
  /// The maximum number of bytes of a request's body.
  private static let bodyLimit = 16 << 10

  /// Returns the answer to a request; nil if the path is unknown.
  func answer(_ request: Request, _ path: String) async throws -> Response? {
    if path.hasPrefix("/assets/"), let asset = Asset(rawValue: String(path.dropFirst("/assets/".count))) {
      return Answer.bytes(asset.bytes, type: asset.type, headers: [.cacheControl: "no-cache"])
    }
    guard Self.pages.contains(path) || path.hasPrefix(Self.api) else { return nil }
    if let refusal = access.refusal(host: request.head.authority) { return Answer.refusal(refusal) }
    switch path {
    case "/": return await start()
    case "/history": return await historyPage(request.uri.queryParameters)
    case "/pass": return await passPage(request.uri.queryParameters)
    case "/initializer": return await trendPage(request.uri.queryParameters["name"].map(String.init) ?? "")
    case "/splash": return splash(request.uri.queryParameters["to"].map(String.init) ?? "/")
    default: return try await call(request, path.dropFirst(Self.api.count))
    }
  }

  /// Returns whether a path changes something, so it requires POST.
  static func isCommand(_ path: String) -> Bool {
    ["activate", "deactivate", "launch", "rerun"].contains { path == api + $0 }
  }

  // MARK: Pages

  private func start() async -> Response {
    await hub.untilLive()
    let position = hub.position
    let document = board.with { $0.document }
    var page = StartPage(document: document, position: position, now: 0)
    if document.summary.answering, let instance = document.summary.instance {
      do {
        let found = try await explainer.overview(of: instance, at: position)
        page = StartPage(overview: found.overview, position: found.position, now: 0)
      } catch { page.problem = "\(error)" }
    }
    page.passes = recent.newestFirst
    page.now = Date().timeIntervalSince1970
    return Answer.page(page.html)
  }

  private func splash(_ target: String) -> Response {
    let position = hub.position
    let document = board.with { $0.document }
    let page = SplashPage(document: document, target: target, position: position, now: Date().timeIntervalSince1970)
    guard !document.summary.ready else {
      return Response(status: .seeOther, headers: [.location: page.target, .cacheControl: "no-store"])
    }
    var response = Answer.page(page.html)
    response.status = .serviceUnavailable
    response.headers[.retryAfter] = "2"
    return response
  }

  // MARK: The API

  private func call(_ request: Request, _ name: Substring) async throws -> Response? {
    switch name {
    case "status": return Answer.json(board.statusJSON)
    case "events": return events(request)
    case "openapi.json": return Answer.bytes(Asset.openAPI.bytes, type: Asset.openAPI.type)
    case "why": return await explanation(nil)
    case "history": return await passes(request.uri.queryParameters)
    case _ where name.hasPrefix("why/"):
      return await explanation(String(name.dropFirst("why/".count)).removingPercentEncoding ?? "")
    case _ where Self.isCommand(Self.api + name): return try await command(request, name)
    default: return nil
    }
  }

  private func explanation(_ name: String?) async -> Response {
    if let name, !board.declares(name) {
      return Answer.error(
        .notFound, "unknownInitializer", "nobody has declared that initializer; /api/v1/status has the names")
    }
    do {
      return Answer.json(try JSONLine.text(try await explainer.explain(name, of: board.with { $0.instance })))
    } catch let error as Explainer.Busy {
      return Answer.error(.serviceUnavailable, "busy", "\(error)", retryAfter: 1)
    } catch {
      return Answer.error(error)
    }
  }

  private func events(_ request: Request) -> Response {
    guard hub.enter() else {
      var refusal = Answer.error(
        .serviceUnavailable, "busy",
        "\(hub.readerLimit) clients read events already; try again later, or start initweb with a larger --connections",
        retryAfter: 5)
      // A client that tries again would keep a place of those who don't read events.
      refusal.headers[.connection] = "close"
      return refusal
    }
    let named = request.headers[.init("Last-Event-ID")!] ?? request.uri.queryParameters["after"].map(String.init)
    let first = hub.number(named)
    let reader = Reader(hub: hub)
    return Response(
      status: .ok,
      headers: Answer.headers(type: "text/event-stream; charset=utf-8", [.init("X-Accel-Buffering")!: "no"]),
      body: ResponseBody { writer in
        defer { reader.leave() }
        var number = first
        // Proxies pass the head on with the first bytes.
        try await writer.write(ByteBuffer(string: "retry: 1000\n\n"))
        await hub.untilLive()
        var isIdle = false
        while true {
          if let (text, next) = hub.next(after: number) {
            number = next
            try await writer.write(ByteBuffer(string: text))
          } else if isIdle {
            try await writer.write(ByteBuffer(string: ":\n\n"))
          }
          guard await hub.wait(after: number) else { break }
          isIdle = true
        }
        try await writer.finish(nil)
      })
  }

  private func command(_ request: Request, _ name: Substring) async throws -> Response {
    guard let control else {
      return Answer.error(
        .notFound, "noControl", "this server only shows the state; start initweb with --control-token-file PATH")
    }
    guard request.method == .post else {
      var response = Answer.error(.methodNotAllowed, "badMethod", "use POST")
      response.headers[.allow] = "POST"
      return response
    }
    let headers = request.headers
    if let refusal = access.refusal(
      host: request.head.authority, origin: headers[.origin], site: headers[.init("Sec-Fetch-Site")!],
      authorization: headers[.authorization], token: control.token)
    {
      return Answer.refusal(refusal)
    }
    do {
      let body = try await request.body.collect(upTo: Self.bodyLimit)
      let command = try Control.Command(name) {
        try JSONDecoder().decode(Control.RerunBody.self, from: Data(body.readableBytesView))
      }
      guard let command else { return Answer.error(.notFound, "unknown", "unknown command") }
      if case .rerun(let body) = command, body.initializers.isEmpty {
        return Answer.error(.badRequest, "badRequest", "name at least one initializer")
      }
      guard let result = try await control.perform(command) else {
        return Answer.error(.gatewayTimeout, "timedOut", "the supervisor hasn't answered within 10 s")
      }
      return Answer.json(try JSONLine.text(result), status: .accepted)
    } catch is DecodingError {
      return Answer.error(
        .badRequest, "badRequest", #"the body must be a JSON object such as {"initializers":["migrate"]}"#)
    } catch is NIOTooManyBytesError {
      return Answer.error(.contentTooLarge, "tooLarge", "the body has more than 16 KiB")
    } catch {
      return Answer.error(error)
    }
  }

  /// A place among the readers, which is released once.
  private final class Reader: Sendable {
    private let hub: EventHub
    private let hasLeft = Mutex(false)

    init(hub: EventHub) { self.hub = hub }

    // The answer may never have been sent, because the client had gone.
    deinit { leave() }

    func leave() {
      let leaves = hasLeft.withLock { hasLeft in
        defer { hasLeft = true }
        return !hasLeft
      }
      if leaves { hub.leave() }
    }
  }
}
