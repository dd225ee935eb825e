import InitModel
import InitWords
import Testing

@testable import InitWire

struct WaitRequestTests {
  @Test(
    "the target is the given one, or ready by default (protocol §4)",
    arguments: [
      ("{}", WaitRequest()), (#"{"for":"ready"}"#, WaitRequest(for: .ready)),
      (#"{"for":"launch"}"#, WaitRequest(for: .launch)),
      (#"{"for":"active"}"#, WaitRequest(for: .active)), (#"{"for":"composite"}"#, WaitRequest(for: .composite)),
      (#"{"initializer":"a","appear":true}"#, WaitRequest(for: .initializer("a"), appear: true)),
      (#"{"pass":3,"timeout":0}"#, WaitRequest(for: .pass(3), timeout: 0)),
      (#"{"timeout":1.5e1}"#, WaitRequest(timeout: 15)),
      (#"{"timeout":999999999.9,"appear":false,"unknown":null}"#, WaitRequest(timeout: 999_999_999.9)),
    ])
  func targets(params: String, wait: WaitRequest) throws {
    #expect(try decode(WaitRequest.self, params) == wait)
  }

  @Test(
    "two targets at once and invalid members are refused by name",
    arguments: [
      (#"{"for":"ready","pass":1}"#, "params.pass: must not be given with \"for\": wait for one thing at a time"),
      (
        #"{"pass":1,"initializer":"a"}"#,
        "params.pass: must not be given with \"initializer\": wait for one thing at a time"
      ),
      (#"{"for":"launched"}"#, #"params.for: must be one of "ready", "launch", "active", "composite""#),
      (#"{"for":null}"#, #"params.for: must be one of "ready", "launch", "active", "composite""#),
      (#"{"initializer":"-a"}"#, "params.initializer: \(InitializerName.requirement)"),
      (#"{"initializer":5}"#, "params.initializer: \(InitializerName.requirement)"),
      (#"{"pass":0}"#, "params.pass: must be an integer of at least 1"),
      (#"{"pass":1.5}"#, "params.pass: must be an integer of at least 1"),
      (#"{"pass":1e-400}"#, "params.pass: must be an integer of at least 1"),
      (#"{"pass":true}"#, "params.pass: must be an integer of at least 1"),
      (#"{"timeout":-0.1}"#, "params.timeout: must be a number of seconds, at least 0 and less than 1e9"),
      (#"{"timeout":1e9}"#, "params.timeout: must be a number of seconds, at least 0 and less than 1e9"),
      (#"{"timeout":1e999}"#, "params.timeout: must be a number of seconds, at least 0 and less than 1e9"),
      (#"{"timeout":"5"}"#, "params.timeout: must be a number of seconds, at least 0 and less than 1e9"),
      (#"{"timeout":null}"#, "params.timeout: must be a number of seconds, at least 0 and less than 1e9"),
      (#"{"appear":1}"#, "params.appear: must be true or false"),
    ])
  func wrong(params: String, message: String) {
    #expect(refusal(WaitRequest.self, params) == message)
  }
}
