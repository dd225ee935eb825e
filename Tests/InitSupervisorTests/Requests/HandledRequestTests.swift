import InitWire
import Testing

@testable import InitSupervisor

@Suite("Handlers of requests")
struct HandledRequestTests {
  @Test("Each request of the protocol has a handler")
  func handlers() {
    for request in clientRequests { #expect(Requests.handler(of: request.method)?.method == request.method) }
    #expect(Requests.handler(of: "unheardOf")?.method == nil)
  }
}
