internal import Libuv

/// The sockets over which commands report: lent for a run, under a path that no other run has, and lent again under another.
///
/// Whoever writes to a path speaks of the run that had it, also a child of its command. A socket is lent again only if its run has left nobody
/// behind who could still be connected to it; as far as can be told: somebody who has closed the output too isn't seen.
final class NotifySockets {
  private let loop: Loop
  private let directory: PrivateDirectory
  /// Under a path that nobody has been told.
  private var fresh: [Datagrams] = []
  /// Under the path of a run that is over.
  private var used: [Datagrams] = []
  private var lastName = 0
  private var lent: [Int: Datagrams] = [:]

  init(loop: Loop, in parent: String) {
    self.loop = loop
    self.directory = PrivateDirectory(in: parent)
  }

  /// A socket for the run, and its path. One that something that tidies up has removed is made anew.
  ///
  /// - Throws: why it can't be made.
  func lend(run: Int, onMessage: @escaping ([UInt8]) -> Void) throws -> String {
    let directory = try directory.path()
    if fresh.isEmpty { refresh() }
    let socket: Datagrams
    if let last = fresh.popLast(), last.path.hasPrefix(directory) {
      socket = last
      socket.onMessage = onMessage
    } else {
      socket = try Datagrams(loop: loop, path: newPath(in: directory), onMessage: onMessage)
    }
    lent[run] = socket
    return socket.path
  }

  /// Gives what is used another path: while a run is under way, so that the next needn't wait for it.
  func refresh() {
    guard !used.isEmpty, let directory = try? directory.path() else { return }
    for socket in used {
      socket.drain()
      if (try? socket.move(to: newPath(in: directory))) != nil { fresh.append(socket) } else { socket.close() }
    }
    used = []
  }

  private func newPath(in directory: String) -> String {
    lastName += 1
    return "\(directory)/\(lastName)"
  }

  /// The run is over: what it has said by now is told, what is said later isn't.
  ///
  /// - Parameter mayBeLent: whether nobody is left who could speak of it.
  func takeBack(run: Int, mayBeLent: Bool) {
    guard let socket = lent.removeValue(forKey: run) else { return }
    socket.drain()
    socket.onMessage = nil
    if mayBeLent { used.append(socket) } else { socket.close() }
  }

  /// Removes them all.
  func close() {
    for socket in fresh + used + lent.values { socket.close() }
    (fresh, used, lent) = ([], [], [:])
    directory.remove()
  }
}
