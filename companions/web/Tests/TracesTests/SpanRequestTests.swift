internal import FoundationEssentials
internal import OTLPMessages
internal import SwiftProtobuf
import Testing

@testable import Traces

@Suite("Requests of OTLP")
struct SpanRequestTests {
  private func answer(_ status: Int, _ body: Data = Data(), retryAfter: String? = nil) -> SpanQueue.Answer {
    SpanRequest.answer(status: status, body: body, retryAfter: retryAfter, now: 784_111_777)
  }

  @Test("Spans are grouped by supervisor, in order")
  func groups() throws {
    var spans = SpanQueueTests.spans(3)
    spans[2].instance = "j"
    let request = SpanRequest(resource: [("service.name", "shop")], version: "1")
    let sent = try Otlp_ExportTraceServiceRequest(serializedBytes: try request.body(spans))
    #expect(sent.resourceSpans.map { $0.scopeSpans[0].spans.count } == [2, 1])
    #expect(sent.resourceSpans[1].resource.attributes.map(\.key) == ["service.name", "service.instance.id"])
    #expect(sent.resourceSpans[1].resource.attributes[1].value.stringValue == "j")
    #expect(sent.resourceSpans[0].scopeSpans[0].spans[1].spanID == Data([0, 0, 0, 0, 0, 0, 0, 2]))
  }

  @Test("Statuses say whether to try again")
  func statuses() throws {
    for status in [200, 202] { #expect(answer(status) == .taken(refused: 0, message: "")) }
    for status in [429, 502, 503, 504] {
      #expect(answer(status) == .later(nil, reason: "the collector answers with status \(status)"))
    }
    for status in [301, 400, 401, 404, 413, 500, 501] {
      #expect(answer(status) == .refused(reason: "the collector answers with status \(status)"))
    }
    var error = Otlp_ErrorAnswer()
    error.message = "no\u{1b}[31m token"
    #expect(
      answer(401, try error.serializedBytes())
        == .refused(reason: "the collector answers with status 401: no [31m token"))
    #expect(answer(400, Data("<html>".utf8)) == .refused(reason: "the collector answers with status 400"))
  }

  @Test("An answer may refuse a part")
  func partial() throws {
    var response = Otlp_ExportTraceServiceResponse()
    response.partialSuccess.rejectedSpans = 2
    response.partialSuccess.errorMessage = "too old"
    #expect(answer(200, try response.serializedBytes()) == .taken(refused: 2, message: "too old"))
    response.partialSuccess.errorMessage = ""
    #expect(
      answer(200, try response.serializedBytes()) == .taken(refused: 2, message: "the collector doesn't say why"))
    #expect(answer(200, Data([0xff, 0xff])) == .taken(refused: 0, message: ""))
  }

  @Test("Retry-After is seconds or a date")
  func retryAfter() {
    func seconds(_ text: String) -> Double? { RetryAfter.seconds(text, now: 784_111_777) }
    #expect(seconds("7") == 7)
    #expect(seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 0)
    #expect(seconds("Sun, 06 Nov 1994 08:49:47 GMT") == 10)
    #expect(seconds("Sun, 06 Nov 1994 08:49:07 GMT") == 0)
    #expect(RetryAfter.seconds("Thu, 01 Jan 1970 00:00:10 GMT", now: 3) == 7)
    #expect(RetryAfter.seconds("Thu, 29 Feb 2024 00:00:00 GMT", now: 0) == 1_709_164_800)
    #expect(RetryAfter.seconds("Fri, 01 Mar 2024 00:00:00 GMT", now: 0) == 1_709_251_200)
    for text in ["", "-1", "soon", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT"] {
      #expect(seconds(text) == nil)
    }
    #expect(answer(503, retryAfter: "7") == .later(7, reason: "the collector answers with status 503"))
  }
}

@Suite("The settings of a collector")
struct CollectorSettingsTests {
  private func settings(_ environment: [String: String] = [:]) throws -> CollectorSettings {
    try CollectorSettings(address: "http://c:4318", environment: environment, host: "h")
  }

  @Test("The path of traces is added to a base address")
  func addresses() throws {
    for (address, url) in [
      ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"), ("https://c/", "https://c/v1/traces"),
      ("http://c/mine", "http://c/mine/v1/traces"), ("http://c/mine//", "http://c/mine/v1/traces"),
      ("http://c/v1/traces", "http://c/v1/traces"), ("http://[::1]:4318", "http://[::1]:4318/v1/traces"),
    ] { #expect(try CollectorSettings.url(address) == url) }
    for address in [
      "", "c:4318", "ftp://c", "http://", "http:///x", "http://:4318", "http://c?x=1", "http://c/#a", "http://a b",
      "http://u:p@c",
    ] {
      #expect(throws: CollectorSettings.Fault.self, "\(address)") { try CollectorSettings.url(address) }
    }
  }

  @Test("OpenTelemetry's variables are used")
  func variables() throws {
    #expect(
      try settings().resource == [.init(name: "service.name", value: "initd"), .init(name: "host.name", value: "h")])
    let known = try settings([
      "OTEL_SERVICE_NAME": "shop", "OTEL_RESOURCE_ATTRIBUTES": "service.name=x, host.name = me ,a=b%2Cc=d",
      "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20t",
    ])
    #expect(
      known.resource == [
        .init(name: "host.name", value: "me"), .init(name: "a", value: "b,c=d"),
        .init(name: "service.name", value: "shop"),
      ])
    #expect(known.headers == [.init(name: "authorization", value: "Bearer t")])
    #expect(try settings(["OTEL_RESOURCE_ATTRIBUTES": "service.name=x"]).resource.map(\.value) == ["x", "h"])
    // A secret isn't shown; a line end would begin another header.
    for wrong in ["secret", "=secret", "a=secret%2", "a=secret%0d%0a", "a=%ff"] {
      let fault = #expect(throws: CollectorSettings.Fault.self) { try settings(["OTEL_EXPORTER_OTLP_HEADERS": wrong]) }
      #expect(fault?.description.contains("secret") == false)
    }
  }
}
