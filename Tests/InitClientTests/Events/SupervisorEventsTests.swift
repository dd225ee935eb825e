import InitClient
import InitModel
import InitWire
import InitWords
import Testing

@Suite("SupervisorEvents")
struct SupervisorEventsTests {
  @Test("Lost events are reported, and the snapshot after them; a client isn't needed")
  func lagged() async throws {
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      let request = try peer.reply(SubscribeRequest.self, SubscribeRequest.Result(snapshot: .fake(seq: 2)))
      guard request == SubscribeRequest(topics: [.pass]) else { throw Unexpected("\(request)") }
      try peer.event(unnumbered: .lagged(dropped: 12))
      try peer.event(unnumbered: .snapshot(.fake(seq: 20)))
      try peer.event(21, .pass(Status.Event.PassChange(pass: 2, phase: .active, status: .started)))
      try peer.expectEnd()
    } _: { path in
      var told: [String] = []
      for try await event in SupervisorEvents([.pass], at: path, named: "test") {
        switch event.body {
        case .snapshot: told.append("snapshot")
        case .lagged(let dropped): told.append("lagged \(dropped)")
        default: told.append("another")
        }
        if told.last == "another" { break }
      }
      #expect(told == ["snapshot", "lagged 12", "snapshot", "another"])
    }
  }
}
