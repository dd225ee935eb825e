import InitWire
import InitWords
import Testing

@testable import InitClient

@Suite("SupervisorCoordinator")
struct SupervisorCoordinatorTests {
  private static func claim(_ run: Int) throws -> Message {
    let params = ClaimParams(
      run: run, initializer: "a", release: "v1", pass: 1, phase: .launch, attempt: 1, timeout: 2.5, secret: false)
    return try Message.request(id: .string("claim-\(run)"), .claim(params))
  }

  /// Plays a supervisor to a coordinator, whose events a test answers.
  private func play(
    _ supervisor: @escaping @Sendable (Door) throws -> Void,
    _ handle: @escaping @Sendable (SupervisorCoordinator, SupervisorCoordinator.Event) async throws -> Bool
  ) async throws {
    try await FakeSupervisor.play(supervisor) { path in
      let coordinator = try SupervisorCoordinator(at: path, named: "coordinator")
      let serving = Task { try await coordinator.run() }
      for await event in coordinator.events where try await !handle(coordinator, event) { serving.cancel() }
      try await serving.value
    }
  }

  @Test("A claim gets its answer once, with the lease that is left")
  func allowed() async throws {
    try await play { door in
      let peer = try door.greet()
      try peer.reply(.coordinate, CoordinateResult(cancelGrace: 5, once: []))
      try peer.write(try Self.claim(7))
      let answer = try peer.result(of: .string("claim-7"), as: ClaimResult.self)
      #expect(answer.decision == .run)
      #expect(answer.fence == 42)
      let lease = try #require(answer.lease)
      #expect(lease > 50 && lease <= 60)
      try peer.write(try Message.notification(.unclaim(UnclaimParams(run: 7, outcome: .failed, message: "boom"))))
      try peer.expectEnd()
    } _: { coordinator, event in
      switch event {
      case .connected(let grace):
        #expect(grace == .seconds(5))
        return true
      case .claimed(let claim):
        #expect(claim.initializer == "a" && claim.release == "v1" && claim.timeout == .milliseconds(2500))
        await coordinator.allow(claim.id, fence: 42, until: .now + .seconds(60))
        // The second answer is dropped.
        await coordinator.fail(claim.id, "too late")
        return true
      case .ended(let claim, let failure, let hasStopped):
        #expect(claim.run == 7 && failure == "boom" && hasStopped)
        return false
      case .completed, .disconnected:
        Issue.record("\(event)")
        return false
      }
    }
  }
}
