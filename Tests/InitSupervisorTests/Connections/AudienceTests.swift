import AppInitializers
import InitJSON
import InitModel
import InitWire
import Testing

@testable import InitSupervisor

@Suite("Audience")
struct AudienceTests {
  /// Returns the messages until the answer to the last of some requests, sent in one write.
  private func messages(_ client: Client, _ requests: [any ClientRequest]) throws -> [Envelope] {
    var bytes: [UInt8] = []
    var last: Int64 = 100
    for request in requests {
      last += 1
      bytes += try Message.request(id: .number(last), request)
    }
    try client.send(bytes)
    var messages: [Envelope] = []
    while true {
      messages.append(try client.next { $0 })
      if case .response(.number(last)?, _) = messages.last { return messages }
    }
  }

  private func seq(_ envelope: Envelope) -> Int? {
    guard case .notification("event", let params) = envelope else { return nil }
    return params?["seq"]?.integer.map { Int($0) }
  }

  @Test("A subscriber gets each event once and in order, before the answer to the request that caused it (protocol §5)")
  func order() async throws {
    try await Setting().play { stage in
      let client = try Client(stage)
      let other = try Client(stage)
      let all = SubscribeRequest(topics: Topic.allCases)
      try other.call(all)
      let messages = try messages(
        client,
        [
          all, ActivateRequest(), PingRequest(), DeactivateRequest(),
          all, ActivateRequest(), UnsubscribeRequest(), DeactivateRequest(), StatusRequest(),
        ])
      guard case .response(_, .result(let answer)) = messages.first,
        case .response(_, .result(let status)) = messages.last
      else { throw StageFault(description: "no answer") }
      let first = try answer.read(SubscribeRequest.Result.self).snapshot.seq
      let last = try status.read(Status.self).seq

      let seqs = messages.compactMap(seq)
      #expect(seqs == Array(first + 1..<first + 1 + seqs.count))
      // The number of events before each answer: each request but `ping` and those for the subscription causes some.
      var counts = [] as [Int]
      var count = 0
      for message in messages {
        if seq(message) == nil {
          counts.append(count)
          count = 0
        } else {
          count += 1
        }
      }
      #expect(counts.map { $0 > 0 } == [false, true, false, true, false, true, false, false, false])
      #expect(first + seqs.count < last)

      var others: [Int] = []
      while others.last != last { others.append(try other.next { seq($0) }) }
      #expect(others == Array(first + 1...last))
    }
  }

  @Test("When subscribers leave, the others still get every event")
  func leaving() async throws {
    try await Setting().play { stage in
      let clients = try (0..<4).map { _ in try Client(stage) }
      for client in clients {
        try client.call(SubscribeRequest(topics: [.lifecycle]))
      }
      let left = Set([0, 2, 3])
      for index in [0, 3, 2] {
        try clients[index].call(UnsubscribeRequest())
        try clients[index].call(ActivateRequest())
        try clients[index].call(DeactivateRequest())
      }
      for (index, client) in clients.enumerated() {
        try client.call(UnsubscribeRequest())
        let events = try client.arrived().compactMap(seq)
        #expect(events.count == (left.contains(index) ? [0: 0, 3: 2, 2: 4][index] : 6), "\(index)")
      }
    }
  }
}
