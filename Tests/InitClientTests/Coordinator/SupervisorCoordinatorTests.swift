import InitJSON
import InitModel
import InitWire
import InitWords
import Synchronization
import Testing

@testable import InitClient

@Suite("SupervisorCoordinator")
struct SupervisorCoordinatorTests {
  private static func claim(_ run: Int) throws -> [UInt8] {
    let params = ClaimRequest(
      run: run, initializer: "a", release: "v1", pass: 1, phase: .launch, attempt: 1, timeout: 2.5, secret: false,
      provider: .command)
    return try Message.request(id: .string("claim-\(run)"), params)
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
      try peer.reply(CoordinateRequest.self, CoordinateRequest.Result(cancelGrace: 5, once: []))
      try peer.write(try Self.claim(7))
      let answer = try peer.claimResult(7)
      #expect(answer.decision == .run)
      #expect(answer.fence == 42)
      let lease = try #require(answer.lease)
      #expect(lease > 50 && lease <= 60)
      try peer.write(try Message.notification(UnclaimNotification(run: 7, outcome: .failed, message: "boom")))
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
      case .completed, .disconnected, .refused:
        Issue.record("\(event)")
        return false
      }
    }
  }

  @Test("A claim of a lost connection isn't answered at the next supervisor, whose runs have the same numbers")
  func reconnected() async throws {
    let first = Mutex<SupervisorCoordinator.ClaimID?>(nil)
    try await play { door in
      for fence in [1, 2] {
        let peer = try door.greet()
        try peer.reply(CoordinateRequest.self, CoordinateRequest.Result(cancelGrace: 5, once: []))
        try peer.write(try Self.claim(7))
        if fence == 1 {
          // The coordinator answers this claim later.
          try peer.write(try Message.notification(UnclaimNotification(run: 8, outcome: .cancelled, message: nil)))
          _ = try peer.receive()
          peer.close()
        } else {
          #expect(try peer.claimResult(7).fence == 2)
        }
      }
    } _: { coordinator, event in
      switch event {
      case .claimed(let claim):
        guard let old = first.withLock({ $0 }) else {
          first.withLock { $0 = claim.id }
          return true
        }
        #expect(old != claim.id)
        await coordinator.allow(old, fence: 1)
        await coordinator.renew(old, until: .now + .seconds(60))
        await coordinator.allow(claim.id, fence: 2)
        return false
      case .ended(let claim, let failure, _):
        #expect(claim.run == 8 && failure == nil)
        // The script waits for a message.
        await coordinator.report(claim, "hello")
        return true
      case .connected, .disconnected: return true
      case .completed, .refused:
        Issue.record("\(event)")
        return false
      }
    }
  }

  @Test("Each different refusal of a later supervisor is reported once, its connection is closed, and it tries again")
  func refused() async throws {
    let told = Mutex<[String]>([])
    try await play { door in
      // A supervisor that accepts the coordinator, three that refuse it, one that accepts it, and one that refuses it with the last reason.
      for refusal in [nil, "another one coordinates", "another one coordinates", "no role", nil, "no role"] {
        let peer = try door.greet()
        if let refusal {
          try peer.refuse(try peer.expect(CoordinateRequest.self).id, WireError(.nameConflict, refusal))
          try peer.expectEnd()
        } else {
          try peer.reply(CoordinateRequest.self, CoordinateRequest.Result(cancelGrace: 5, once: []))
          peer.close()
        }
      }
    } _: { _, event in
      let word =
        switch event {
        case .connected: "connected"
        case .disconnected: "disconnected"
        case .refused(let error): "\(error.kind): \(error)"
        case .claimed, .completed, .ended: "\(event)"
        }
      return told.withLock {
        $0.append(word)
        return $0.count < 7
      }
    }
    let other = "nameConflict: no role"
    #expect(
      told.withLock { $0 } == [
        "connected", "disconnected", "nameConflict: another one coordinates", other, "connected", "disconnected", other,
      ])
  }

  @Test("A completion is confirmed, or has failed with a message")
  func completed() async throws {
    try await play { door in
      let peer = try door.greet()
      try peer.reply(CoordinateRequest.self, CoordinateRequest.Result(cancelGrace: 5, once: []))
      let output = try RawJSON(checking: Array(#"{"port":8080}"#.utf8))
      for run in [1, 2] {
        let params = CompleteRequest(run: run, output: output)
        try peer.write(try Message.request(id: .string("complete-\(run)"), params))
      }
      #expect(try peer.expectAnswer(.string("complete-1")) == .result(.emptyObject))
      guard case .error(let error) = try peer.expectAnswer(.string("complete-2")) else {
        throw Unexpected("expected an error")
      }
      #expect(error.message == "the claim was lost")
    } _: { coordinator, event in
      guard case .completed(let claim, let output, let isSecret) = event else { return true }
      #expect(output == #"{"port":8080}"# && !isSecret)
      if claim.run == 1 {
        await coordinator.confirm(claim)
      } else {
        await coordinator.fail(claim, "the claim was lost")
      }
      return claim.run == 1
    }
  }

  @Test("Another host's completion is passed on with its output")
  func skipped() async throws {
    try await play { door in
      let peer = try door.greet()
      try peer.reply(CoordinateRequest.self, CoordinateRequest.Result(cancelGrace: 5, once: []))
      try peer.write(try Self.claim(1))
      let answer = try peer.claimResult(1)
      #expect(answer.decision == .done && answer.message == "completed on b")
      #expect(answer.output?.bytes.elementsEqual("[1]".utf8) == true)
    } _: { coordinator, event in
      guard case .claimed(let claim) = event else { return true }
      await coordinator.skip(claim.id, output: "[1]", message: "completed on b")
      return false
    }
  }
}

extension Peer {
  /// Returns the answer to a claim, which must be next.
  fileprivate func claimResult(_ run: Int) throws -> ClaimRequest.Result {
    guard case .result(let json) = try expectAnswer(.string("claim-\(run)")) else {
      throw Unexpected("expected a result")
    }
    return try json.read(ClaimRequest.Result.self)
  }
}
