import InitModel
import InitWords
import Testing

@testable import InitWire

struct RequestParamsTests {
  @Test("missing members have the documented defaults (protocol §4)", arguments: [nil, "{}", #"{"unknown":[1]}"#])
  func defaults(params: String?) throws {
    #expect(try decode("activate", params) == .activate(ActivateParams(hold: false)))
    #expect(try decode("deactivate", params) == .deactivate(DeactivateParams(wait: false)))
    #expect(try decode("subscribe", params) == .subscribe(SubscribeParams(topics: [.launch, .active, .composite])))
    #expect(try decode("logs", params) == .logs(LogsParams(initializer: nil, limit: 1000)))
    #expect(try decode("history", params) == .history(HistoryParams(limit: 1)))
  }

  @Test("given members are read")
  func given() throws {
    #expect(try decode("activate", #"{"hold":true}"#) == .activate(ActivateParams(hold: true)))
    #expect(try decode("deactivate", #"{"wait":true}"#) == .deactivate(DeactivateParams(wait: true)))
    #expect(
      try decode("subscribe", #"{"topics":["log","pass","log","worker","initializer","lifecycle"]}"#)
        == .subscribe(SubscribeParams(topics: [.log, .pass, .worker, .initializer, .lifecycle])))
    #expect(try decode("subscribe", #"{"topics":[]}"#) == .subscribe(SubscribeParams(topics: [])))
    #expect(try decode("unregister", #"{"names":["a","b"]}"#) == .unregister(UnregisterParams(names: ["a", "b"])))
    #expect(try decode("logs", #"{"initializer":"a","limit":5}"#) == .logs(LogsParams(initializer: "a", limit: 5)))
    #expect(try decode("logs", #"{"failed":true,"pass":7}"#) == .logs(LogsParams(failed: true, pass: 7)))
    #expect(try decode("history", #"{"limit":9223372036854775807}"#) == .history(HistoryParams(limit: .max)))
  }

  @Test(
    "invalid members are named",
    arguments: [
      ("activate", #"{"hold":"yes"}"#, "params.hold: must be true or false"),
      ("activate", #"{"hold":null}"#, "params.hold: must be true or false"),
      ("deactivate", #"{"wait":1}"#, "params.wait: must be true or false"),
      ("subscribe", #"{"topics":"log"}"#, "params.topics: must be an array"),
      (
        "subscribe", #"{"topics":["log","state"]}"#,
        #"params.topics[1]: must be one of "launch", "active", "composite", "lifecycle", "initializer", "pass", "worker", "log""#
      ),
      ("unregister", "{}", "params.names: must be given"),
      ("unregister", #"{"names":["a","a"]}"#, "params.names[1]: must not name \"a\" a second time"),
      ("unregister", #"{"names":[7]}"#, "params.names[0]: \(InitializerName.requirement)"),
      ("logs", #"{"initializer":""}"#, "params.initializer: \(InitializerName.requirement)"),
      ("logs", #"{"limit":0}"#, "params.limit: must be an integer of at least 1"),
      ("logs", #"{"limit":9223372036854775808}"#, "params.limit: must be an integer of at least 1"),
      ("history", #"{"limit":1.0}"#, "params.limit: must be an integer of at least 1"),
      ("history", #"{"limit":"1"}"#, "params.limit: must be an integer of at least 1"),
    ])
  func wrong(method: String, params: String, message: String) {
    #expect(refusal(method, params) == message)
  }
}
