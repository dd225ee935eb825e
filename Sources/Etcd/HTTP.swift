internal import CCurl
package import EventLoop
internal import Glibc
internal import Platform

/// HTTP requests on a loop's thread, with libcurl: it keeps connections, speaks TLS, and reads answers as they come.
package final class HTTP {
  /// One request and its answer.
  package final class Exchange {
    fileprivate let easy: UnsafeMutableRawPointer
    fileprivate let reason: UnsafeMutablePointer<CChar>
    /// The exchange's own headers; nil if it has those of all exchanges.
    ///
    /// libcurl doesn't copy them.
    fileprivate var headers: UnsafeMutablePointer<curl_slist>?
    fileprivate var onData: ((UnsafeRawBufferPointer) -> Void)?
    fileprivate var onEnd: ((Result<Int, HTTPError>) -> Void)?
    fileprivate weak var http: HTTP?

    fileprivate init?() {
      guard let easy = curl_easy_init() else { return nil }
      self.easy = easy
      reason = .allocate(capacity: Int(CURL_ERROR_SIZE))
      reason[0] = 0
    }

    deinit {
      curl_easy_cleanup(easy)
      curl_slist_free_all(headers)
      reason.deallocate()
    }

    /// Ends it: nothing is called any more.
    package func cancel() { http?.remove(self) }
  }

  /// How servers and this client are authenticated.
  package struct Security: Sendable {
    /// The file with the certificates of authorities; nil for the system's.
    package var authorities: String?
    /// The files with this client's certificate and key; nil for none.
    package var certificate: String?
    package var key: String?

    package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
      self.authorities = authorities
      self.certificate = certificate
      self.key = key
    }
  }

  private static let contentType = "Content-Type: application/json"
  private let loop: Loop
  private let multi: UnsafeMutableRawPointer
  private let timer: EventLoop.Timer
  private let security: Security
  private let headers: UnsafeMutablePointer<curl_slist>?
  private var polls: [Int32: Poll] = [:]
  /// Exchanges that libcurl still has.
  private var cancelled: [Exchange] = []
  private let sweeper: EventLoop.Timer
  private var exchanges: [UnsafeMutableRawPointer: Exchange] = [:]

  ///
  /// `security` is the files for TLS.
  package init(loop: Loop, security: Security = Security()) {
    self.loop = loop
    self.security = security
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    multi = curl_multi_init()
    timer = Timer(loop: loop, name: "HTTP")
    sweeper = Timer(loop: loop, name: "cancelled HTTP")
    headers = curl_slist_append(nil, Self.contentType)
    let context = Unmanaged.passUnretained(self).toOpaque()
    ccurl_on_socket(
      multi,
      { _, socket, what, context, _ in
        HTTP.of(context).watch(socket, what)
        return 0
      }, context)
    ccurl_on_timer(
      multi,
      { _, milliseconds, context in
        HTTP.of(context).arm(milliseconds)
        return 0
      }, context)
  }

  deinit {
    // libcurl would call these with an object that is being deinitialized.
    ccurl_on_socket(multi, nil, nil)
    ccurl_on_timer(multi, nil, nil)
    for exchange in Array(exchanges.values) + cancelled {
      curl_multi_remove_handle(multi, exchange.easy)
      // They may refer to the exchange.
      exchange.onData = nil
      exchange.onEnd = nil
    }
    curl_multi_cleanup(multi)
    curl_slist_free_all(headers)
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> HTTP {
    Unmanaged<HTTP>.fromOpaque(context!).takeUnretainedValue()
  }

  /// Posts a body.
  ///
  /// `authorization` is the value of that header, without line breaks; nil for none. `timeout` says how long the whole exchange may take;
  /// nil for as long as the connection works. `onData` is called with each part of the answer. `onEnd` is called once with the status, or
  /// why there is none; not after `cancel()`.
  @discardableResult
  package func post(
    _ url: String, _ body: [UInt8], authorization: String? = nil, timeout: Duration? = nil,
    onData: @escaping (UnsafeRawBufferPointer) -> Void, onEnd: @escaping (Result<Int, HTTPError>) -> Void
  ) -> Exchange? {
    guard let exchange = Exchange() else {
      onEnd(.failure(HTTPError(reason: "out of memory")))
      return nil
    }
    let easy = exchange.easy
    exchange.onData = onData
    exchange.onEnd = onEnd
    exchange.http = self
    ccurl_set_text(easy, CURLOPT_URL, url)
    ccurl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    ccurl_set_number(easy, CURLOPT_NOSIGNAL, 1)
    ccurl_set_number(easy, CURLOPT_CONNECTTIMEOUT_MS, 3000)
    // A watch is silent for long; a dead connection is noticed within half a minute.
    ccurl_set_number(easy, CURLOPT_TCP_KEEPALIVE, 1)
    ccurl_set_number(easy, CURLOPT_TCP_KEEPIDLE, 5)
    ccurl_set_number(easy, CURLOPT_TCP_KEEPINTVL, 3)
    ccurl_set_reason(easy, exchange.reason)
    if let authorization {
      exchange.headers = curl_slist_append(
        curl_slist_append(nil, Self.contentType), "Authorization: \(authorization)")
    }
    ccurl_set_headers(easy, exchange.headers ?? headers)
    if let timeout {
      ccurl_set_number(easy, CURLOPT_TIMEOUT_MS, max(1, Int(timeout / .milliseconds(1))))
    }
    if let file = security.authorities { ccurl_set_text(easy, CURLOPT_CAINFO, file) }
    if let file = security.certificate { ccurl_set_text(easy, CURLOPT_SSLCERT, file) }
    if let file = security.key { ccurl_set_text(easy, CURLOPT_SSLKEY, file) }
    ccurl_set_number(easy, CURLOPT_POST, 1)
    _ = body.withUnsafeBytes { ccurl_set_body(easy, $0.baseAddress, $0.count) }
    ccurl_on_data(
      easy,
      { bytes, _, count, context in
        let exchange = Unmanaged<Exchange>.fromOpaque(context!).takeUnretainedValue()
        exchange.onData?(UnsafeRawBufferPointer(start: bytes, count: count))
        return count
      }, Unmanaged.passUnretained(exchange).toOpaque())
    exchanges[easy] = exchange
    curl_multi_add_handle(multi, easy)
    return exchange
  }

  fileprivate func remove(_ exchange: Exchange) {
    guard exchanges.removeValue(forKey: exchange.easy) != nil else { return }
    exchange.onData = nil
    exchange.onEnd = nil
    // Not within a callback of libcurl, which forbids that.
    cancelled.append(exchange)
    sweeper.start(after: .zero) { [unowned self] in
      for each in cancelled { curl_multi_remove_handle(multi, each.easy) }
      cancelled = []
    }
  }

  private func arm(_ milliseconds: Int) {
    guard milliseconds >= 0 else { return timer.stop() }
    timer.start(after: .milliseconds(milliseconds)) { [unowned self] in act(CURL_SOCKET_TIMEOUT, 0) }
  }

  private func watch(_ socket: Int32, _ what: Int32) {
    guard what != CURL_POLL_REMOVE else {
      polls.removeValue(forKey: socket)?.close()
      return
    }
    do throws(SystemError) {
      if polls[socket] == nil {
        // libcurl closes its own.
        let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .last("fcntl") }
        polls[socket] = try Poll(loop: loop, descriptor: Descriptor(owning: copy), name: "HTTP")
      }
      var events: Poll.Events = []
      if what & CURL_POLL_IN != 0 { events.insert(.readable) }
      if what & CURL_POLL_OUT != 0 { events.insert(.writable) }
      try polls[socket]?.start(events) { [unowned self] events in
        let read = events.contains(.readable) ? CURL_CSELECT_IN : 0
        let write = events.contains(.writable) ? CURL_CSELECT_OUT : 0
        act(socket, read | write == 0 ? CURL_CSELECT_ERR : read | write)
      }
    } catch {
      // The exchange fails by its timeout; a watch has none, but its keys are read again after a while.
    }
  }

  private func act(_ socket: Int32, _ events: Int32) {
    var running: Int32 = 0
    curl_multi_socket_action(multi, socket, events, &running)
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
      let code = message.pointee.data.result
      guard let exchange = exchanges.removeValue(forKey: easy) else { continue }
      curl_multi_remove_handle(multi, easy)
      let onEnd = exchange.onEnd
      exchange.onData = nil
      exchange.onEnd = nil
      if code == CURLE_OK {
        onEnd?(.success(ccurl_status(easy)))
      } else {
        let reason = String(cString: exchange.reason)
        onEnd?(.failure(HTTPError(reason: reason.isEmpty ? String(cString: curl_easy_strerror(code)) : reason)))
      }
    }
  }
}

/// Why there is no answer.
package struct HTTPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// libcurl's words.
  package let reason: String
  package var description: String { reason }
}
