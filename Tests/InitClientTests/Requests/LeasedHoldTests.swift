import InitJSON
import InitModel
import InitWire
import InitWords
import Testing

@testable import InitClient

@Suite("A hold with an end")
struct LeasedHoldTests {
  private static let activation = ActivateRequest.Result(
    pass: 3, active: Status.State(.pending), launch: Status.State(.complete), cancelGrace: 5)

  private static func status(_ lifecycle: Lifecycle) -> Status {
    var status = Status.fake()
    status.lifecycle = .known(lifecycle)
    return status
  }

  /// Takes a hold at a supervisor that plays `script` after its activation.
  private func hold(
    _ lifecycle: Lifecycle = .active, _ script: @escaping @Sendable (Peer) throws -> Void,
    _ use: @escaping @Sendable (LeasedHold) async throws -> Void
  ) async throws {
    try await FakeSupervisor.play { door in
      let first = try door.greet()
      defer { first.close() }
      let peer = try door.greet()
      let (id, request) = try peer.expect(ActivateRequest.self)
      guard request.hold, let lease = request.lease else {
        throw Unexpected("\(request)")
      }
      #expect(lease > 50 && lease <= 60 && request.at != nil)
      try peer.answer(id, Self.activation)
      try peer.reply(SubscribeRequest.self, SubscribeRequest.Result(snapshot: Self.status(lifecycle)))
      try script(peer)
    } _: { path in
      let client = try await SupervisorClient.connect(at: path)
      let hold = try await client.hold(until: .now + .seconds(60))
      #expect(hold.pass == 3 && hold.cancelGrace == .seconds(5))
      try await use(hold)
      await hold.close()
      await client.close()
    }
  }

  private func loss(_ hold: LeasedHold) async -> LeasedHold.Loss? {
    for await loss in hold.losses { return loss }
    return nil
  }

  @Test("It is renewed, and ends when somebody deactivates the app")
  func renewed() async throws {
    try await hold { peer in
      // The wait for the pass is sent by another task than the renewal.
      var renewals: [RenewNotification] = []
      for _ in 1...2 {
        switch try peer.receive() {
        case .request(_, "wait", _): break
        case .notification("renew", let params?): renewals.append(try params.read(RenewNotification.self))
        case let message: throw Unexpected("\(message as Any)")
        }
      }
      let renewal = try #require(renewals.first)
      #expect(renewal.run == nil && renewal.lease > 100 && renewal.lease <= 120)
      let state = Status.Event.StateChange(
        changed: [.lifecycle], launch: Status.State(.complete), active: Status.State(.pending),
        composite: Status.State(.pending),
        lifecycle: .inactive)
      try peer.event(1, .state(state))
    } _: { hold in
      await hold.renew(until: .now + .seconds(120))
      #expect(await loss(hold) == .deactivated)
    }
  }

  @Test("An app that is inactive by the time of the snapshot was deactivated")
  func inactive() async throws {
    try await hold(.inactive) {
      try $0.expectEnd()
    } _: {
      #expect(await loss($0) == .deactivated)
    }
  }

  @Test("A supervisor that shuts down has ended; one that is gone without a word may still run the app")
  func ended() async throws {
    try await hold { peer in
      try peer.expect(WaitRequest.self)
      try peer.event(unnumbered: .shutdown)
      peer.close()
    } _: {
      #expect(await loss($0) == .supervisorEnded)
    }
    try await hold { peer in
      try peer.expect(WaitRequest.self)
      peer.close()
    } _: { hold in
      guard case .connectionLost(let error)? = await loss(hold) else {
        Issue.record("no loss of the connection")
        return
      }
      #expect(error.kind == .connectionLost)
    }
  }

  @Test("A failed activation is told with its reason")
  func failed() async throws {
    try await hold { peer in
      let (id, _) = try peer.expect(WaitRequest.self)
      let error = InitializationError(initializer: "warm", reason: .duplicateInitializer, message: "warm failed")
      try peer.answer(id, Status.State(.failed, error: error))
      try peer.expectEnd()
    } _: {
      #expect(await loss($0) == .activationFailed("warm failed"))
    }
  }
}
