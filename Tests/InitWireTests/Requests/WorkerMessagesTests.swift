import InitJSON
import InitModel
import InitWords
import Testing

@testable import InitWire

struct WorkerMessagesTests {
  private func message(_ body: () throws(WireError) -> Void) -> String? {
    do throws(WireError) {
      try body()
      return nil
    } catch {
      #expect(error.knownCode == .invalidParams)
      return error.message
    }
  }

  @Test("the documented run is read (protocol §6)")
  func run() throws {
    let params = try json(
      #"{"run":7,"initializer":"favorites","pass":1,"phase":"launch","attempt":1,"timeout":30}"#)
    #expect(
      try RunRequest(params: params)
        == RunRequest(run: 7, initializer: "favorites", pass: 1, phase: .launch, attempt: 1, timeout: 30))
  }

  @Test("the trace context of a run is read and written; an invalid one is ignored")
  func traceparent() throws {
    func read(_ context: String) throws -> RunRequest {
      let params = try json(
        #"{"run":7,"initializer":"a","pass":1,"phase":"launch","attempt":1,"traceparent":"\#(context)"}"#)
      return try params.read()
    }
    let context = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    let params = try read(context)
    #expect(params.traceparent == context)
    #expect(String(decoding: try params.json(), as: UTF8.self).contains(#""traceparent":"\#(context)""#))
    for invalid in ["", "00-0-0-01", "\\u0000"] { #expect(try read(invalid).traceparent == nil) }
  }

  @Test(
    "invalid members of run are named",
    arguments: [
      ("{}", "params.run: must be given"), (#"{"run":0}"#, "params.run: must be an integer of at least 1"),
      (#"{"run":1,"initializer":" "}"#, "params.initializer: \(InitializerName.requirement)"),
      (#"{"run":1,"initializer":"a","pass":1,"phase":3}"#, "params.phase: must be a string"),
      (#"{"run":1,"initializer":"a","pass":1,"phase":"active"}"#, "params.attempt: must be given"),
      (
        #"{"run":1,"initializer":"a","pass":1,"phase":"active","attempt":1,"traceparent":3}"#,
        "params.traceparent: must be a string"
      ),
    ])
  func wrongRun(params: String, expected: String) throws {
    let params = try json(params)
    #expect(
      message { () throws(WireError) in _ = try RunRequest(params: params) } == expected)
  }

  @Test("each reason of cancel is read, and an unknown one of a later version cancels too (protocol §6)")
  func cancel() throws {
    for reason in CancelReason.allCases {
      let params = try json(#"{"run":7,"reason":"\#(reason.rawValue)"}"#)
      #expect(
        try CancelNotification(params: params) == CancelNotification(run: 7, reason: reason))
    }
    let params = try CancelNotification(params: try json(#"{"run":7,"reason":"bored"}"#))
    #expect(params.run == 7)
    #expect(params.reason == nil)
  }

  @Test("the documented progress is read, and only run is required (protocol §6)")
  func progress() throws {
    #expect(
      try ProgressNotification(
        params: try json(#"{"run":7,"fraction":0.5,"message":"half of the shelves","extend":30}"#))
        == ProgressNotification(run: 7, fraction: 0.5, message: "half of the shelves", extend: 30))
    #expect(
      try ProgressNotification(params: try json(#"{"run":7,"fraction":1}"#))
        == ProgressNotification(run: 7, fraction: 1))
    #expect(
      try ProgressNotification(params: try json(#"{"run":7,"fraction":0}"#))
        == ProgressNotification(run: 7, fraction: 0))
  }

  @Test(
    "invalid members of progress are named",
    arguments: [
      ("{}", "params.run: must be given"),
      (#"{"run":1,"fraction":1.01}"#, "params.fraction: must be a number from 0 to 1"),
      (#"{"run":1,"fraction":-0.01}"#, "params.fraction: must be a number from 0 to 1"),
      (#"{"run":1,"fraction":null}"#, "params.fraction: must be a number from 0 to 1"),
      (#"{"run":1,"message":1}"#, "params.message: must be a string"),
      (#"{"run":1,"extend":-1}"#, "params.extend: must be a number of seconds, at least 0 and less than 1e9"),
      ("[]", "params: must be an object"),
    ])
  func wrongProgress(params: String, expected: String) throws {
    let params = try json(params)
    #expect(
      message { () throws(WireError) in _ = try ProgressNotification(params: params) } == expected)
  }
}
