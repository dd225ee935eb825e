internal import EventLoop
internal import Glibc
internal import InitCore
internal import InitWire
internal import Logging
internal import Platform

/// The connections: accepts and refuses clients, bounds their memory, and notifies them at the end (protocol §1, §2, §8).
///
/// The memory of all clients together is bounded by `clientBytes`. Beyond that, ``ClientMemory`` names the user who holds the most, and the
/// client with the most of it is disconnected.
final class Connections: Part {
  /// A connection, and its share of the totals.
  private struct Entry {
    let session: Session
    /// Whether it counts against the limit of connections; a refused connection doesn't.
    var isCounted = false
  }

  /// A user at a socket.
  private struct Place: Hashable {
    let user: UInt32
    let isReadOnly: Bool
  }

  /// How many connections root and the supervisor's own user may have beyond the limit.
  private static let reserved = 16

  /// Called when a client has sent a message.
  var onMessage: (Envelope, Session) -> Void = { _, _ in }
  /// Called when a client has been sent its last message, or has disconnected.
  var onLeave: (Session) -> Void = { _ in }
  /// Called when a connection is closed.
  var onClose: () -> Void = {}
  /// Whether some settled waits haven't been handed to their sessions yet.
  var isSettling: () -> Bool = { false }

  /// Reads the messages of all clients.
  var reader = MessageReader()

  let core: Core
  private let line: TurnLine
  private let answers: Answers
  private let idleMemory: IdleMemory
  private var entries: [Int: Entry] = [:]
  private var last = 0
  /// Connections that haven't sent hello, oldest first; may contain some that have sent it.
  private var silent: [Int] = []
  /// Refused connections that are still being sent the reason, oldest first.
  private var refused: [Int] = []
  /// The number of connections at the main socket, and at the observers' socket.
  private var counts = (main: 0, readOnly: 0)
  /// The number of connections of each user other than root and the supervisor's own, at each socket.
  private var countsByUser: [Place: Int] = [:]
  /// The limit of connections per socket.
  private var places = 0
  /// The memory of all clients, and whether an eviction is due.
  private var memory: ClientMemory
  private var isEvicting = false
  /// Whether the supervisor has ended: each connection is closed as soon as the client has been sent its last message.
  private(set) var isEnded = false

  init(_ core: Core, line: TurnLine, answers: Answers, idleMemory: IdleMemory) {
    (self.core, self.line, self.answers, self.idleMemory) = (core, line, answers, idleMemory)
    memory = ClientMemory(limit: core.configuration.limits.clientBytes)
    line.onTurn = { [unowned self] in entries[$0]?.session.resume(atLeast: $1, isTurn: true) }
  }

  /// All sessions that aren't closed.
  var sessions: [Session] { entries.values.map(\.session) }
  /// Whether no client is connected.
  var isEmpty: Bool { entries.isEmpty }

  /// Accepts a connection, or refuses it with the reason.
  func accept(_ descriptor: Descriptor, _ peer: PeerCredentials, isReadOnly: Bool) {
    let start = loop.now
    guard let stream = try? Stream(loop: loop, descriptor: descriptor, name: "session") else { return }
    last += 1
    let roles = isReadOnly ? .observe : configuration.permissions.roles(of: peer, owner: geteuid())
    let out = Outgoing(
      core, id: last, user: peer.uid, isOwn: isOwn(peer), stream: stream, line: line, answers: answers)
    let session = Session(
      core, out, stream: stream, peer: peer, roles: roles, isReadOnly: isReadOnly, line: line, connections: self)
    entries[session.id] = Entry(session: session)
    // Connecting again and again costs its user turns, too.
    defer { line.spend(bytes: 0, since: start, of: out) }
    guard !roles.isEmpty else {
      let error = WireError(
        .notPermitted,
        "permission denied: user \(peer.uid) has no role here; start initd with --allow-observe, --allow-control or --allow-register"
      )
      return refuse(session, error)
    }
    // Each socket has a limit of its own. Root and the supervisor's own user have extra connections, so others can't lock them out.
    let reserved = !isReadOnly && isOwn(peer) ? Self.reserved : 0
    guard (isReadOnly ? counts.readOnly : counts.main) < places + reserved else {
      let error = WireError(
        .limitExceeded, "cannot accept more than \(places) connections: close one, or try again later",
        detail: .limit("connections"))
      return refuse(session, error)
    }
    // Half of the connections are reserved for other users, even if they are unused now: their clients must find room when they connect.
    guard isOwn(peer) || countsByUser[Place(user: peer.uid, isReadOnly: isReadOnly), default: 0] < placesPerUser else {
      let error = WireError(
        .limitExceeded,
        """
        cannot accept more than \(placesPerUser) connections of user \(peer.uid), half of the limit of \(places): close one, or raise \
        --limit connections
        """, detail: .limit("connections"))
      return refuse(session, error)
    }
    count(session, by: 1)
    entries[session.id]?.isCounted = true
    silent.append(session.id)
    boundSilent(isReadOnly: isReadOnly)
    session.start()
  }

  /// Closes the oldest silent connection at a socket if there are too many: that of the user who has the most, so a user who connects often
  /// closes no one else's.
  private func boundSilent(isReadOnly: Bool) {
    silent.removeAll { entries[$0]?.session.state != .silent }
    let sessions = silent.compactMap { entries[$0]?.session }.filter { $0.isReadOnly == isReadOnly }
    guard sessions.count > limits.silentConnections else { return }
    let byUser = Dictionary(grouping: sessions) { $0.peer.uid }.values
    byUser.max { ($0.count, $1[0].id) < ($1.count, $0[0].id) }?[0].close()
  }

  /// Returns the limit of connections per socket.
  ///
  /// It leaves enough descriptors for runs, so they continue even if clients use all their connections.
  private func placesForClients() -> Int {
    // A run uses a pidfd, both ends of two pipes, and a notification socket; the resources of one further run are prepared.
    let forRuns = 8 * (min(configuration.machine.concurrency, 64) + 2) + 6 * (configuration.workers.count + 1)
    let room = DescriptorLimit.room - forRuns - limits.silentConnections - 2 * Self.reserved
    let places = max(1, room / (configuration.observeSocketPath == nil ? 1 : 2))
    guard places < limits.connections else { return limits.connections }
    logger.warning(
      """
      the limit is \(places) connections instead of \(limits.connections): this process has too few descriptors; raise its hard limit (ulimit -Hn, or \
      LimitNOFILE= in its unit)
      """)
    return places
  }

  /// Computes the limit of connections, and warns if it is low.
  func start() { places = placesForClients() }

  /// Sends a refused client the reason.
  ///
  /// A few such connections stay open until the client has read it; a new one closes the oldest.
  private func refuse(_ session: Session, _ error: WireError) {
    session.farewell(error)
    refused.removeAll { entries[$0] == nil }
    refused.append(session.id)
    if refused.count > limits.silentConnections { entries[refused.removeFirst()]?.session.close() }
  }

  /// The limit of connections of one user per socket, unless the user is root or the supervisor's own.
  private var placesPerUser: Int { max(1, places / 2) }

  /// Whether the peer is root or the supervisor's own user.
  private func isOwn(_ peer: PeerCredentials) -> Bool { peer.uid == 0 || peer.uid == geteuid() }

  /// Tells all clients that the supervisor has ended, and closes their connections.
  func end() {
    isEnded = true
    for session in sessions.sorted(by: { $0.id < $1.id }) where session.isReachable {
      session.out.makeAllReplies()
      session.out.tell(.shutdown)
      session.farewell()
    }
  }

  private func count(_ session: Session, by difference: Int) {
    if session.isReadOnly { counts.readOnly += difference } else { counts.main += difference }
    guard !isOwn(session.peer) else { return }
    let place = Place(user: session.peer.uid, isReadOnly: session.isReadOnly)
    let count = countsByUser[place, default: 0] + difference
    countsByUser[place] = count > 0 ? count : nil
  }

  // MARK: Called by the sessions

  /// Removes a connection that is closed.
  func closed(_ session: Session) {
    guard let entry = entries.removeValue(forKey: session.id) else { return }
    if entry.isCounted { count(session, by: -1) }
    note(-session.countedBytes, of: session)
    onClose()
  }

  private func note(_ difference: Int, of session: Session) {
    memory.add(difference, of: user(session))
    if difference < 0 { idleMemory.freed(-difference) }
    idleMemory.isLarge(memory.isLarge)
  }

  private func user(_ session: Session) -> ClientMemory.User {
    ClientMemory.User(id: session.peer.uid, isOwn: isOwn(session.peer) && !session.isReadOnly)
  }

  /// Whether a slow subscriber gets no events for now, because clients use much memory; no client is disconnected because of events.
  func isCrowding(_ session: Session) -> Bool { memory.isCrowding(user(session)) }

  /// Updates the total memory of all clients.
  func account(for session: Session) {
    let (held, counted) = (session.heldBytes, session.countedBytes)
    guard held != counted, session.state != .closed else { return }
    session.countedBytes = held
    note(held - counted, of: session)
    guard memory.isExceeded, !isEvicting else { return }
    isEvicting = true
    // In a later turn, because this may be called in the middle of a step.
    loop.later { [weak self] in self?.evict() }
  }

  /// Disconnects the clients with the most memory of the users with the most, until the total is within the limit.
  private func evict() {
    for session in sessions { account(for: session) }
    isEvicting = false
    while memory.isExceeded, let heaviest = memory.heaviest {
      let start = loop.now
      let clients = sessions.filter { user($0) == heaviest }
      guard let session = clients.max(by: { $0.countedBytes < $1.countedBytes }) else { return }
      let peer = session.peer
      logger.warning(
        """
        disconnected \(session.name.isEmpty ? "a client" : session.name) (user \(peer.uid)\(peer.pid.map { ", pid \($0)" } ?? "")): it held \
        \(session.countedBytes >> 10) KiB, and all clients together may hold \(limits.clientBytes >> 10) KiB; raise --limit clientBytes, or \
        make the client read its answers
        """)
      session.close()
      line.spend(bytes: 0, since: start, of: session.out)
    }
  }
}
