import InitModel
import InitWire
import Testing

@testable import InitClient

@Suite("The decision when the app is active")
struct ActivationManagementTests {
  @Test("It tells the present cancelGrace on its connection, or that the supervisor is too old for that")
  func cancelGrace() async throws {
    try await FakeSupervisor.play { door in
      let first = try door.greet()
      defer { first.close() }
      let peer = try door.greet()
      try peer.reply(ManageRequest.self, ManageRequest.Result(cancelGrace: 5))
      try peer.reply(ManageRequest.self, ManageRequest.Result(cancelGrace: 2.5))
      try peer.answer(try peer.expect(ManageRequest.self).id, EmptyResult())
      peer.close()
    } _: { path in
      let client = try await SupervisorClient.connect(at: path)
      let management = try await client.manageActivation()
      #expect(try await management.cancelGrace() == .milliseconds(2500))
      #expect(try await management.cancelGrace(within: .seconds(60)) == nil)
      await management.untilEnded()
      await #expect(throws: SupervisorError.self) { try await management.cancelGrace() }
      await client.close()
    }
  }
}
