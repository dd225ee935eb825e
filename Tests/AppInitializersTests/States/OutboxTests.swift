import Testing

@testable import AppInitializers

@Suite("Outbox")
struct OutboxTests {
  private func delivered(_ count: Int, backlog: Int) async -> [Int] {
    let (values, continuation) = AsyncStream.makeStream(of: Int.self)
    let outbox = Outbox(continuation, backlog: backlog)
    for value in 0..<count { outbox.add(value) }
    outbox.finish()
    return await values.reduce(into: []) { $0.append($1) }
  }

  @Test("Of the values that wait to be delivered it keeps as many as its backlog allows, the newest")
  func backlog() async {
    #expect(await delivered(3, backlog: 3) == [0, 1, 2])
    #expect(await delivered(5, backlog: 3) == [2, 3, 4])
  }
}
