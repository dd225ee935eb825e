import AppInitializers
import InitCore
import InitModel
import InitWire
import InitWords
import Platform
import TestSupport
import Testing

@testable import InitServer
@testable import InitSupervisor

@Suite("Waits")
struct WaitsTests {
  @Test("A turn settles at most 256 waits; the others follow in the next turns, in order")
  func portions() async throws {
    let barrier = Barrier()
    let count = 600
    try await Setting(objects: { [Scripted("a", .appActive) { try barrier.enter() }] }).play { stage in
      let client = try Client(stage)
      let pass = try client.call(ActivateRequest()).pass
      try barrier.arrived()
      let ids = try (0..<count).map { _ in try client.request(WaitRequest(for: .pass(pass))) }
      try client.call(StatusRequest())
      let open = Monitor<Int?>(nil)
      stage.perform { supervisor in
        supervisor.clients.waits.answer(pass: PassID(pass), Status.State(.cancelled, pass: pass))
        let count = supervisor.clients.waits.count
        open.withLock { $0 = count }
        open.signal()
      }
      #expect(open.wait { $0 } == count - 256)
      for id in ids {
        guard case .response(id, _) = try client.next(where: { $0 }) else { throw StageFault(description: "order") }
      }
      // Answered waits take no memory.
      #expect(stage.eventually { $0.clients.server.connections.sessions.allSatisfy { $0.out.waitBytes == 0 } })
      barrier.letGo()
    }
  }
}
