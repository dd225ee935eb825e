package import EventLoop
package import Platform

/// A pool of notification sockets for commands.
///
/// A run gets a socket under a path that no other run has; later the socket is reused under another path.
///
/// A datagram to a path belongs to the run of that path, even if a child of its command sends it. A socket is reused only if its run has
/// left no process behind that may still be connected to it. (A process that has closed the command's output isn't detected.)
package final class NotifySockets {
  private let loop: Loop
  private let directory: PrivateDirectory
  /// The beginning of the names of the sockets.
  private let prefix: String
  /// How long an unused socket is assumed to exist without a check: cleaners of temporary files spare younger files.
  private let trust: Duration
  /// Unused sockets: at a path that no run has, and since when.
  private var fresh: [(socket: Datagrams, since: Duration)] = []
  /// Used sockets: at the path of a run that has ended.
  private var used: [Datagrams] = []
  private var lastName = 0
  private var isClosed = false
  private var lent: [Int: Datagrams] = [:]

  /// Creates an empty pool.
  ///
  /// `directory` is the directory of the sockets; each pool in it needs another `prefix`. `trust` says how long an unused socket is assumed
  /// to exist without a check.
  package init(loop: Loop, in directory: PrivateDirectory, prefix: String = "", trust: Duration = .seconds(10)) {
    self.loop = loop
    self.prefix = prefix
    self.trust = trust
    self.directory = directory
  }

  /// Lends a socket to the run, and returns its path.
  ///
  /// `user` is the run's user, if it isn't ours. If a cleaner of temporary files has removed the directory, it is created again.
  ///
  /// - Throws: the reason why the socket can't be made.
  package func lend(run: Int, to user: Accounts.User? = nil, onMessage: @escaping ([UInt8]) -> Void) throws -> String {
    let socket: Datagrams
    if let user {
      socket = try make(in: directory.passablePath())
      try socket.give(to: user)
    } else {
      if fresh.isEmpty { renew() }
      socket = try removeFresh() ?? make(in: directory.path())
    }
    socket.onMessage = onMessage
    lent[run] = socket
    return socket.path
  }

  /// Prepares a socket for the next run while another runs.
  package func prepare() {
    renew()
    if fresh.isEmpty, let made = try? make(in: directory.path()) { fresh.append((made, loop.now)) }
  }

  private func removeFresh() -> Datagrams? {
    guard let (socket, since) = fresh.popLast() else { return nil }
    return loop.now - since < trust || socket.isInPlace ? socket : nil
  }

  /// Gives used sockets new paths; sockets whose file is missing are dropped.
  private func renew() {
    for socket in used {
      guard let directory = directory.made, (try? socket.move(to: newPath(in: directory))) != nil else {
        socket.close()
        continue
      }
      // Datagrams to the old path after the run are dropped.
      socket.drain()
      fresh.append((socket, loop.now))
    }
    used = []
  }

  private func make(in directory: String) throws -> Datagrams {
    try Datagrams(loop: loop, path: newPath(in: directory))
  }

  private func newPath(in directory: String) -> String {
    lastName += 1
    return "\(directory)/\(prefix)\(lastName)"
  }

  /// Delivers the datagrams that the run has sent so far.
  package func drain(run: Int) { lent[run]?.drain() }

  /// Delivers the datagrams sent so far, because the run has ended; later datagrams are dropped.
  ///
  /// Returns the socket of the run, to be taken back.
  package func end(run: Int) -> Datagrams? {
    let socket = lent.removeValue(forKey: run)
    socket?.drain()
    socket?.onMessage = nil
    return socket
  }

  /// Takes back the socket of a run that has ended.
  ///
  /// `mayBeLent` is true if no process of the run is left that could write to the socket.
  package func reclaim(_ socket: Datagrams, mayBeLent: Bool) {
    // Keeps as many unused sockets as are in use, plus two, so a burst of a thousand runs doesn't leave a thousand sockets.
    if mayBeLent, !isClosed { used.append(socket) } else { socket.close() }
    while fresh.count + used.count > lent.count + 2 {
      (used.popLast() ?? fresh.removeLast().socket).close()
    }
  }

  /// Removes all sockets; the owner of the directory removes the directory.
  package func close() {
    isClosed = true
    for socket in fresh.map(\.socket) + used + lent.values { socket.close() }
    fresh = []
    used = []
    lent = [:]
  }
}
