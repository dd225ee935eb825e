import InitWire
import InitWords
import Synchronization
import Testing

@testable import InitClient

@Suite("CoordinatorService")
struct CoordinatorServiceTests {
  @Test(
    "A claim's task is cancelled when the claim has ended, and when the connection is lost", arguments: [false, true])
  func cancelled(isLost: Bool) async throws {
    let begun = try Gate()
    let isCancelled = Mutex(false)
    let wasCancelled = Mutex<Bool?>(nil)
    try await FakeSupervisor.play { door in
      let peer = try door.greet()
      try peer.reply(.coordinate, CoordinateResult(cancelGrace: 5, once: []))
      let claim = ClaimParams(
        run: 7, initializer: "a", release: "v1", pass: 1, phase: .launch, attempt: 1, timeout: nil, secret: false)
      try peer.write(try Message.request(id: .string("claim-7"), .claim(claim)))
      try begun.wait()
      if isLost { return peer.close() }
      try peer.write(try Message.notification(.unclaim(UnclaimParams(run: 7, outcome: .cancelled, message: nil))))
      try peer.expectEnd()
    } _: { path in
      let (ended, end) = AsyncStream.makeStream(of: Void.self)
      let note: @Sendable () -> Void = {
        wasCancelled.withLock { $0 = isCancelled.withLock { $0 } }
        end.finish()
      }
      let service = CoordinatorService(
        loop: try Client.loop.get(), path: path, program: ProgramShape(name: "coordinator", version: "1"),
        handlers: CoordinatorService.Handlers(
          onReady: { _, _ in }, onLost: { _ in note() },
          claim: { _ in
            let (stream, stop) = AsyncStream.makeStream(of: Void.self)
            await withTaskCancellationHandler {
              begun.open()
              for await _ in stream {}
            } onCancel: {
              isCancelled.withLock { $0 = true }
              stop.finish()
            }
            throw CancellationError()
          }, complete: { _ in }, unclaim: { _ in note() }))
      let serving = Task { try await service.serve() }
      for await _ in ended {}
      serving.cancel()
      try await serving.value
    }
    #expect(wasCancelled.withLock { $0 } == true)
  }
}
