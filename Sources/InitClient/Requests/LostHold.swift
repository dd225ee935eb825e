internal import EventLoop
internal import InitWire

/// A hold that was lost with its connection (S23).
package enum LostHold {
  /// Takes the hold again: connects to the next supervisor at the same path, and holds the app active.
  ///
  /// The wait has no time limit.
  ///
  /// - Throws: `ClientError` if waiting is useless, or the waiting task is cancelled.
  package static func reacquire(after lost: Client) async throws(ClientError) -> Client {
    let loop = lost.loop
    let path = lost.path
    let program = await lost.program
    var backoff = Backoff.reconnecting
    while true {
      await Sleep.on(loop, for: backoff.next())
      if Task.isCancelled { throw .cancelled }
      var next: Client?
      do throws(ClientError) {
        let client = try await Client.connect(
          loop: loop, path: path, program: program, replyTimeout: lost.replyTimeout)
        next = client
        _ = try await client.send(ActivateRequest(hold: true))
        return client
      } catch {
        await next?.close()
        if Task.isCancelled { throw .cancelled }
        guard error.mayPassAfterLoss else { throw error }
      }
    }
  }
}
