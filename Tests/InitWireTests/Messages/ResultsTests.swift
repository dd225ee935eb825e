import InitJSON
import InitModel
import Testing

@testable import InitWire

struct ResultsTests {
  @Test("the answer to hello is as documented (protocol §2)")
  func hello() throws {
    try expectRoundTrip(
      #"""
      {"protocol":1,"server":{"name":"initd","version":"0.1.0"},"instance":"6f0c…","pid":4711,
       "limits":{"frameBytes":1048576}}
      """#,
      HelloRequest.Result(
        protocolVersion: 1, server: HelloRequest.Program(name: "initd", version: "0.1.0"), instance: "6f0c…", pid: 4711,
        limits: HelloRequest.Result.Limits(frameBytes: 1024 * 1024)))
  }

  @Test("the other answers are as documented (protocol §4)")
  func others() throws {
    try expectRoundTrip("{}", EmptyResult())
    try expectRoundTrip(
      #"{"pass":1,"launch":{"state":"pending","pass":1}}"#,
      LaunchRequest.Result(pass: 1, launch: Status.State(.pending, pass: 1)))
    try expectRoundTrip(
      #"{"pass":3,"active":{"state":"pending"},"launch":{"state":"complete"}}"#,
      ActivateRequest.Result(pass: 3, active: Status.State(.pending), launch: Status.State(.complete)))
    try expectRoundTrip(#"{"cancelled":["name"]}"#, DeactivateRequest.Result(cancelled: ["name"]))
    try expectRoundTrip(#"{"registered":["favorites"]}"#, RegisterRequest.Result(registered: ["favorites"]))
    try expectRoundTrip(#"{"lines":[]}"#, LogsRequest.Result(lines: []))
    try expectRoundTrip(#"{"passes":[]}"#, HistoryRequest.Result(passes: []))
    let status = String(decoding: try Status.smallest.json(), as: UTF8.self)
    try expectRoundTrip(#"{"snapshot":\#(status)}"#, SubscribeRequest.Result(snapshot: .smallest))
  }

  @Test("numbers of an answer are at most 2^53 - 1, moments and durations at most 1e12, with either sign")
  func numbers() throws {
    func pass(_ number: String) throws -> LaunchRequest.Result {
      try json(#"{"pass":\#(number),"launch":{"state":"pending"}}"#).read()
    }
    for number in [9_007_199_254_740_991, -9_007_199_254_740_991] {
      #expect(try pass("\(number)").pass == number)
      #expect(throws: ShapeFault.self) { try pass("\(number + number.signum())") }
    }
    func line(_ time: String) throws -> LogLine {
      try json(#"{"time":\#(time),"initializer":"a","run":1,"stream":"stdout","line":""}"#).read()
    }
    for time in ["1e12", "-1e12"] {
      #expect(try line(time).time == Double(time))
      #expect(throws: ShapeFault.self) { try line(time.replacing("1e", with: "1.000001e")) }
    }
  }

  @Test("unknown members of an answer are ignored (protocol §2)")
  func unknownMembers() throws {
    #expect(try json(#"{"later":1}"#).read(EmptyResult.self) == EmptyResult())
    #expect(
      try json(#"{"cancelled":[],"later":{}}"#).read(DeactivateRequest.Result.self)
        == DeactivateRequest.Result(cancelled: []))
  }
}
