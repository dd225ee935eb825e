internal import Glibc
internal import InitCore
internal import InitWire
internal import Libuv
internal import Logging
internal import Platform

/// Who is connected: who is let in, what all together may hold, and how all are told the end (protocol §1, §2, §8).
///
/// What all clients together have queued is bounded by `clientBytes`. Beyond that, the client that holds most is disconnected.
final class Connections: Part, SessionDelegate {
  /// A connection, and what of it stands in the sums of all.
  private struct Entry {
    let session: Session
    /// It has a place among the connections; who is refused has none.
    var isCounted = false
    var countedBytes = 0
  }

  /// How many connections root and the supervisor's own user may have beyond the limit.
  private static let reserved = 16

  /// A client has sent a message.
  var onMessage: (Envelope, Session) -> Void = { _, _ in }
  /// A client has been told its last, or is gone.
  var onLeave: (Session) -> Void = { _ in }
  /// A connection is closed.
  var onClose: () -> Void = {}
  /// Whether answers are settled that aren't with their sessions yet.
  var settles: () -> Bool = { false }

  let core: Core
  private let line: TurnLine
  private let answers: Answers
  private var entries: [Int: Entry] = [:]
  private var last = 0
  /// Those who haven't said hello, oldest first; some may have by now.
  private var silent: [Int] = []
  /// Those who aren't let in and are about to be told so, the oldest first.
  private var refused: [Int] = []
  /// How many there are at the socket for observers (true), and at the other.
  private var counts: [Bool: Int] = [:]
  /// How many of each there may be.
  private var places = 0
  /// What all hold together, in bytes, and whether that is too much.
  private var bytes = 0
  private var isEvicting = false
  private(set) var isEnded = false

  init(_ core: Core, line: TurnLine, answers: Answers) {
    (self.core, self.line, self.answers) = (core, line, answers)
    line.onTurn = { [unowned self] in entries[$0]?.session.resume(atLeast: $1) }
  }

  /// All sessions that aren't closed.
  var sessions: [Session] { entries.values.map(\.session) }
  /// Whether nobody is connected.
  var isEmpty: Bool { entries.isEmpty }
  /// Whether all together hold much: a subscriber falls behind sooner then. Nobody is disconnected for events.
  var isCrowded: Bool { bytes > limits.clientBytes / 4 * 3 }

  /// Takes a connection, or tells it why not.
  func accept(_ descriptor: Descriptor, _ peer: PeerCredentials, isReadOnly: Bool) {
    guard let stream = try? Stream(loop: loop, descriptor: descriptor, name: "session") else { return }
    last += 1
    let roles = isReadOnly ? .observe : configuration.permissions.roles(of: peer, owner: geteuid())
    let out = Outgoing(core, id: last, stream: stream, line: line, answers: answers)
    let session = Session(
      core, out, stream: stream, peer: peer, roles: roles, isReadOnly: isReadOnly, line: line, delegate: self)
    entries[session.id] = Entry(session: session)
    guard !roles.isEmpty else {
      let error = WireError(
        .notPermitted,
        "permission denied: user \(peer.uid) has no role here; start initd with --allow-observe, --allow-control or --allow-register"
      )
      return refuse(session, error)
    }
    // Each socket has its places, and root and the own user a few more: nobody can lock them out.
    let reserved = !isReadOnly && isOwn(peer) ? Self.reserved : 0
    guard counts[isReadOnly, default: 0] < places + reserved else {
      let error = WireError(
        .limitExceeded, "cannot take more than \(places) connections: close one, or try again later",
        detail: .limit("connections"))
      return refuse(session, error)
    }
    counts[isReadOnly, default: 0] += 1
    entries[session.id]?.isCounted = true
    silent.append(session.id)
    silent.removeAll { entries[$0]?.session.state != .silent }
    let silentHere = silent.compactMap { entries[$0]?.session }.filter { $0.isReadOnly == isReadOnly }
    if silentHere.count > limits.silentConnections { silentHere[0].close() }
    session.start()
  }

  /// How many connections each socket takes: no more than leave descriptors for what runs, so that work goes on when clients have taken all they may.
  private func placesForClients() -> Int {
    // A run has its pidfd, both ends of two pipes, and a socket for its reports; a further one is made ready.
    let forRuns = 8 * (min(configuration.machine.concurrency, 64) + 2) + 6 * (configuration.workers.count + 1)
    let room = DescriptorLimit.room - forRuns - limits.silentConnections - 2 * Self.reserved
    let places = max(1, room / (configuration.observeSocketPath == nil ? 1 : 2))
    guard places < limits.connections else { return limits.connections }
    logger.warning(
      """
      only \(places) connections fit, not \(limits.connections): this process may have too few descriptors; raise its hard limit (ulimit -Hn, or \
      LimitNOFILE= in its unit)
      """)
    return places
  }

  /// Counts the places that there are, and warns if they are few.
  func start() { places = placesForClients() }

  /// Tells one who isn't let in why. A few of these are kept for as long as it takes them to read it; who comes after them puts out the first.
  private func refuse(_ session: Session, _ error: WireError) {
    session.farewell(error)
    refused.removeAll { entries[$0] == nil }
    refused.append(session.id)
    if refused.count > limits.silentConnections { entries[refused.removeFirst()]?.session.close() }
  }

  /// Root, and the user that the supervisor runs as.
  private func isOwn(_ peer: PeerCredentials) -> Bool { peer.uid == 0 || peer.uid == geteuid() }

  /// Tells everybody that the supervisor has ended, and closes.
  func end() {
    isEnded = true
    for session in sessions.sorted(by: { $0.id < $1.id }) where session.isReachable {
      session.out.makeAllReplies()
      session.out.tell(.shutdown)
      session.farewell()
    }
  }

  // MARK: What sessions tell

  var isSettling: Bool { settles() }

  func take(_ envelope: Envelope, from session: Session) { onMessage(envelope, session) }

  func left(_ session: Session) { onLeave(session) }

  func closed(_ session: Session) {
    guard let entry = entries.removeValue(forKey: session.id) else { return }
    if entry.isCounted { counts[session.isReadOnly, default: 1] -= 1 }
    bytes -= entry.countedBytes
    line.forget(session.id)
    onClose()
  }

  /// Keeps the sum of what all clients hold.
  func account(for session: Session) {
    guard let counted = entries[session.id]?.countedBytes else { return }
    let held = session.heldBytes
    guard held != counted else { return }
    bytes += held - counted
    entries[session.id]?.countedBytes = held
    guard bytes > limits.clientBytes, !isEvicting else { return }
    isEvicting = true
    // In a turn of its own: this may be the middle of a step.
    loop.later { [weak self] in self?.evict() }
  }

  /// Disconnects who holds most, until all together hold what they may; root and the own user last.
  private func evict() {
    for session in sessions { account(for: session) }
    isEvicting = false
    while bytes > limits.clientBytes {
      let all = entries.values.filter { $0.countedBytes > 0 }
      let others = all.filter { !isOwn($0.session.peer) || $0.session.isReadOnly }
      guard let most = (others.isEmpty ? all : others).max(by: { $0.countedBytes < $1.countedBytes }) else { return }
      let (session, peer) = (most.session, most.session.peer)
      logger.warning(
        """
        disconnected \(session.name.isEmpty ? "a client" : session.name) (user \(peer.uid)\(peer.pid.map { ", pid \($0)" } ?? "")): it held \
        \(most.countedBytes >> 10) KiB, and all clients together may hold \(limits.clientBytes >> 10) KiB; raise --limit clientBytes, or have \
        it read what it asks for
        """)
      session.close()
    }
  }
}
