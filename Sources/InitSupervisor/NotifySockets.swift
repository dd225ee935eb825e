internal import Libuv

/// The sockets over which commands report: lent for a run, under a path that no other run has, and lent again under another.
///
/// Whoever writes to a path speaks of the run that had it, also a child of its command. A socket is lent again only if its run has left nobody
/// behind who could still be connected to it; as far as can be told: somebody who has closed the output too isn't seen.
final class NotifySockets {
  private let loop: Loop
  private let directory: PrivateDirectory
  private var idle: [Datagrams] = []
  private var lent: [Int: Datagrams] = [:]

  init(loop: Loop, in parent: String) {
    self.loop = loop
    self.directory = PrivateDirectory(in: parent)
  }

  /// A socket for the run, and its path. One that something that tidies up has removed is made anew.
  ///
  /// - Throws: why it can't be made.
  func lend(run: Int, onMessage: @escaping ([UInt8]) -> Void) throws -> String {
    let path = "\(try directory.path())/\(run)"
    while let socket = idle.popLast() {
      guard (try? socket.move(to: path)) != nil else {
        socket.close()
        continue
      }
      socket.onMessage = onMessage
      lent[run] = socket
      return path
    }
    lent[run] = try Datagrams(loop: loop, path: path, onMessage: onMessage)
    return path
  }

  /// The run is over: what it has said by now is told, what is said later isn't.
  ///
  /// - Parameter mayBeLent: whether nobody is left who could speak of it.
  func takeBack(run: Int, mayBeLent: Bool) {
    guard let socket = lent.removeValue(forKey: run) else { return }
    socket.drain()
    socket.onMessage = nil
    if mayBeLent { idle.append(socket) } else { socket.close() }
  }

  /// Removes them all.
  func close() {
    for socket in idle + lent.values { socket.close() }
    (idle, lent) = ([], [:])
    directory.remove()
  }
}
