import InitModel
import InitWords
import Testing

@testable import InitWire

struct RequestMembersTests {
  @Test("missing members have the documented defaults (protocol §4)", arguments: [nil, "{}", #"{"unknown":[1]}"#])
  func defaults(params: String?) throws {
    #expect(try decode(ActivateRequest.self, params) == ActivateRequest(hold: false))
    #expect(try decode(DeactivateRequest.self, params) == DeactivateRequest(wait: false))
    #expect(try decode(SubscribeRequest.self, params) == SubscribeRequest(topics: [.launch, .active, .composite]))
    #expect(try decode(LogsRequest.self, params) == LogsRequest(initializer: nil, limit: 1000))
    #expect(try decode(HistoryRequest.self, params) == HistoryRequest(limit: 1))
  }

  @Test("given members are read")
  func given() throws {
    #expect(try decode(ActivateRequest.self, #"{"hold":true}"#) == ActivateRequest(hold: true))
    #expect(try decode(DeactivateRequest.self, #"{"wait":true}"#) == DeactivateRequest(wait: true))
    #expect(
      try decode(SubscribeRequest.self, #"{"topics":["log","pass","log","worker","initializer","lifecycle"]}"#)
        == SubscribeRequest(topics: [.log, .pass, .worker, .initializer, .lifecycle]))
    #expect(try decode(SubscribeRequest.self, #"{"topics":[]}"#) == SubscribeRequest(topics: []))
    #expect(try decode(UnregisterRequest.self, #"{"names":["a","b"]}"#) == UnregisterRequest(names: ["a", "b"]))
    #expect(try decode(LogsRequest.self, #"{"initializer":"a","limit":5}"#) == LogsRequest(initializer: "a", limit: 5))
    #expect(try decode(LogsRequest.self, #"{"failed":true,"pass":7}"#) == LogsRequest(failed: true, pass: 7))
    #expect(try decode(HistoryRequest.self, #"{"limit":9223372036854775807}"#) == HistoryRequest(limit: .max))
  }

  @Test(
    "invalid members are named",
    arguments: [
      (ActivateRequest.self, #"{"hold":"yes"}"#, "params.hold: must be true or false"),
      (ActivateRequest.self, #"{"hold":null}"#, "params.hold: must be true or false"),
      (DeactivateRequest.self, #"{"wait":1}"#, "params.wait: must be true or false"),
      (SubscribeRequest.self, #"{"topics":"log"}"#, "params.topics: must be an array"),
      (
        SubscribeRequest.self, #"{"topics":["log","state"]}"#,
        #"params.topics[1]: must be one of "launch", "active", "composite", "lifecycle", "initializer", "pass", "worker", "log""#
      ),
      (UnregisterRequest.self, "{}", "params.names: must be given"),
      (UnregisterRequest.self, #"{"names":["a","a"]}"#, "params.names[1]: must not name \"a\" a second time"),
      (UnregisterRequest.self, #"{"names":[7]}"#, "params.names[0]: \(InitializerName.requirement)"),
      (LogsRequest.self, #"{"initializer":""}"#, "params.initializer: \(InitializerName.requirement)"),
      (LogsRequest.self, #"{"limit":0}"#, "params.limit: must be an integer of at least 1"),
      (LogsRequest.self, #"{"limit":9223372036854775808}"#, "params.limit: must be an integer of at least 1"),
      (HistoryRequest.self, #"{"limit":1.0}"#, "params.limit: must be an integer of at least 1"),
      (HistoryRequest.self, #"{"limit":"1"}"#, "params.limit: must be an integer of at least 1"),
    ] as [(any Request.Type, String, String)])
  func wrong(request: any Request.Type, params: String, message: String) {
    #expect(refusal(request, params) == message)
  }
}
