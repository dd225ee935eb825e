import InitJSON
import InitModel
import InitWords
import Testing

@testable import InitWire

struct WordTests {
  @Test("a word of a later version is kept unchanged in every shape")
  func shapes() throws {
    let status = try json(
      #"""
      {"seq":1,"time":1,"instance":"i","pid":1,"uptime":0,"lifecycle":"dozing","launch":{"state":"paused"},
       "active":{"state":"failed","error":{"code":"vetoed","initializer":"a","message":"…"}},
       "composite":{"state":"pending"},"holds":0,"concurrency":1,"workers":[],
       "initializers":[{"name":"a","priority":"appIdle","dependencies":[],"provider":"wasm","available":true,
         "status":"resting","phase":"idle"}]}
      """#
    ).read(Status.self)
    let initializer = status.initializers[0]
    #expect(status.lifecycle == .unknown("dozing") && status.launch.state == .unknown("paused"))
    #expect(status.active.error?.reason == .unknown(code: "vetoed"))
    #expect(initializer.priority == .unknown("appIdle") && initializer.provider == .unknown("wasm"))
    #expect(initializer.status == .unknown("resting") && initializer.phase == .unknown("idle"))
    #expect(initializer.status.rawValue == "resting" && initializer.status.known == nil)

    let pass = try json(
      #"{"pass":1,"phase":"idle","started":1,"outcome":"skipped","runs":[{"run":1,"initializer":"a","attempt":1,"ready":1,"started":1,"outcome":"vetoed","waitedFor":[]}]}"#
    ).read(Pass.self)
    #expect(pass.phase == .unknown("idle") && pass.outcome == .unknown("skipped"))
    #expect(pass.runs[0].outcome == .unknown("vetoed"))
  }

  @Test("a word of a later version is kept unchanged in every event")
  func events() throws {
    func body(_ text: String) throws -> Status.Event.Body { try json(text).read(Status.Event.self).body }
    guard
      case .state(let state) = try body(
        #"{"seq":1,"time":1,"topic":"state","changed":["idle","launch"],"launch":{"state":"complete"},"active":{"state":"pending"},"composite":{"state":"pending"},"lifecycle":"dozing"}"#
      ),
      case .pass(let pass) = try body(
        #"{"seq":1,"time":1,"topic":"pass","pass":1,"phase":"idle","status":"suspended"}"#),
      case .log(let line) = try body(
        #"{"seq":1,"time":1,"topic":"log","initializer":"a","run":1,"stream":"journal","line":""}"#)
    else { return #expect(Bool(false), "other events") }
    #expect(state.changed == [.unknown("idle"), .known(.launch)] && state.lifecycle == .unknown("dozing"))
    #expect(pass.phase == .unknown("idle") && pass.status == .unknown("suspended"))
    #expect(line.stream == .unknown("journal"))
  }

  @Test("a worker runs in a phase that it doesn't know (protocol §6)")
  func run() throws {
    let params = try json(#"{"run":7,"initializer":"a","pass":1,"phase":"idle","attempt":1}"#)
    #expect(try RunRequest(params: params).phase == .unknown("idle"))
  }

  @Test("a word is equal to itself, and to the same word of this version")
  func equality() {
    let word = Word<Phase>("active")
    #expect(word == .active && word != .launch && word == .known(.active) && word.rawValue == "active")
    #expect(Word<Phase>("idle") != .active && Word<Phase>("idle") != Word("launch"))
  }

  @Test("requests to a supervisor stay strict (protocol §2)")
  func requests() throws {
    #expect(refusal(SubscribeRequest.self, #"{"topics":["weather"]}"#) != nil)
    #expect(refusal(RegisterRequest.self, #"{"initializers":[{"name":"a","priority":"appIdle"}]}"#) != nil)
    #expect(refusal(WaitRequest.self, #"{"for":"weather"}"#) != nil)
  }
}
