import InitModel
import Testing

@testable import InitWire

struct HelloRequestTests {
  @Test("the documented hello is read (protocol §2)")
  func page() throws {
    #expect(
      try decode(HelloRequest.self, #"{"protocol":1,"client":{"name":"initctl","version":"0.1.0"}}"#)
        == HelloRequest(client: HelloRequest.Program(name: "initctl", version: "0.1.0")))
  }

  @Test(
    "another version is −32001 with the supported ones, regardless of other members (protocol §7)",
    arguments: [
      #"{"protocol":2,"client":{"name":"x","version":"1"}}"#, #"{"protocol":0}"#, #"{"protocol":-1,"client":5}"#,
    ])
  func otherVersion(params: String) {
    let error = #expect(throws: WireError.self) { try decode(HelloRequest.self, params) }
    #expect(error?.knownCode == .unsupportedProtocol)
    #expect(error?.detail == .supported([1]))
  }

  @Test(
    "invalid and missing members are named",
    arguments: [
      ("{}", "params.protocol: must be given"),
      (#"{"protocol":"1"}"#, "params.protocol: must be a 64-bit integer without a fraction or exponent"),
      (#"{"protocol":1.0}"#, "params.protocol: must be a 64-bit integer without a fraction or exponent"),
      (#"{"protocol":1}"#, "params.client: must be given"),
      (#"{"protocol":1,"client":[]}"#, "params.client: must be an object"),
      (#"{"protocol":1,"client":{"version":"1"}}"#, "params.client.name: must be given"),
      (#"{"protocol":1,"client":{"name":null,"version":"1"}}"#, "params.client.name: must be a string"),
      (#"{"protocol":1,"client":{"name":"x","version":1}}"#, "params.client.version: must be a string"),
    ])
  func wrong(params: String, message: String) {
    #expect(refusal(HelloRequest.self, params) == message)
  }
}
