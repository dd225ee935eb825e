internal import Libuv
internal import Platform

/// The sockets over which commands report: lent for a run, under a path that no other run has, and lent again under another.
///
/// Whoever writes to a path speaks of the run that had it, also a child of its command. A socket is lent again only if its run has left nobody
/// behind who could still be connected to it; as far as can be told: somebody who has closed the output too isn't seen.
final class NotifySockets {
  private let loop: Loop
  private let directory: PrivateDirectory
  /// How long a socket that lies ready is taken to be in place unseen: what tidies up spares what is younger.
  private let trust: Duration
  /// Under a path that nobody has been told, and since when.
  private var fresh: [(socket: Datagrams, since: Duration)] = []
  /// Under the path of a run that is over.
  private var used: [Datagrams] = []
  private var lastName = 0
  private var lent: [Int: Datagrams] = [:]

  init(loop: Loop, in directory: PrivateDirectory, trust: Duration = .seconds(10)) {
    self.loop = loop
    self.trust = trust
    self.directory = directory
  }

  /// A socket for the run, and its path. One that something that tidies up has removed is made anew.
  ///
  /// - Throws: why it can't be made.
  func lend(run: Int, onMessage: @escaping ([UInt8]) -> Void) throws -> String {
    if fresh.isEmpty { renew() }
    let socket = try takeFresh() ?? make()
    socket.onMessage = onMessage
    lent[run] = socket
    return socket.path
  }

  /// While a run is under way: sees to it that the next one finds a socket, and needn't wait for it.
  func prepare() {
    renew()
    if fresh.isEmpty, let made = try? make() { fresh.append((made, loop.now)) }
  }

  private func takeFresh() -> Datagrams? {
    guard let (socket, since) = fresh.popLast() else { return nil }
    return loop.now - since < trust || socket.isInPlace ? socket : nil
  }

  /// Gives what is used another path; what has lost its own is given up.
  private func renew() {
    for socket in used {
      guard let directory = directory.made, (try? socket.move(to: newPath(in: directory))) != nil else {
        socket.close()
        continue
      }
      // What was said under the old path after the run; nobody finds that any more.
      socket.drain()
      fresh.append((socket, loop.now))
    }
    used = []
  }

  private func make() throws -> Datagrams {
    try Datagrams(loop: loop, path: newPath(in: directory.path()))
  }

  private func newPath(in directory: String) -> String {
    lastName += 1
    return "\(directory)/\(lastName)"
  }

  /// What the run has said by now is told.
  func drain(run: Int) { lent[run]?.drain() }

  /// The run is over: what it has said by now is told, what is said later isn't.
  ///
  /// - Parameter mayBeLent: whether nobody is left who could speak of it.
  func takeBack(run: Int, mayBeLent: Bool) {
    guard let socket = lent.removeValue(forKey: run) else { return }
    socket.drain()
    socket.onMessage = nil
    // As many lie ready as are lent, and two: what a thousand at once took isn't kept for one after another.
    if mayBeLent { used.append(socket) } else { socket.close() }
    while fresh.count + used.count > lent.count + 2 {
      (used.popLast() ?? fresh.removeLast().socket).close()
    }
  }

  /// Removes them all; the directory is its owner's to remove.
  func close() {
    for socket in fresh.map(\.socket) + used + lent.values { socket.close() }
    (fresh, used, lent) = ([], [], [:])
  }
}
