internal import EventLoop
internal import Glibc
internal import InitModel
internal import InitWire
internal import Logging
internal import Platform

/// The connections: accepts and refuses clients, bounds their memory, and notifies them at the end (protocol §1, §2, §8).
///
/// The memory of all clients together is bounded by `clientBytes`. Beyond that, ``ClientMemory`` names the user with the most memory, and
/// that user's largest client is disconnected.
final class Connections {
  /// A connection, and its share of the totals.
  private struct Entry {
    let session: Session
    /// Whether the connection counts against the limit; a refused connection doesn't.
    var isCounted = false
  }

  /// Called when a connection is closed.
  var onClose: () -> Void = {}

  private let context: ServerContext
  private let line: TurnLine
  private let heap: HeapTrimmer
  let delegate: any ServerDelegate
  private var entries: [Int: Entry] = [:]
  private var last = 0
  /// Connections that haven't sent hello, oldest first; may contain some that have sent it.
  private var silent: [Int] = []
  /// Refused connections that are still being sent the reason, oldest first.
  private var refused: [Int] = []
  private var counts = ConnectionCounts()
  /// The memory of all clients, and whether a client must be disconnected.
  private var memory: ClientMemory
  private var isEvicting = false
  /// Whether the supervisor has ended: each connection is closed as soon as the client has been sent its last message.
  private(set) var isEnded = false

  init(_ context: ServerContext, line: TurnLine, heap: HeapTrimmer, delegate: any ServerDelegate) {
    self.context = context
    self.line = line
    self.heap = heap
    self.delegate = delegate
    memory = ClientMemory(limit: context.limits.memory)
    line.connections = self
  }

  private var limits: ClientLimits { context.limits }
  private var loop: Loop { context.loop }
  /// All sessions that aren't closed.
  var sessions: [Session] { entries.values.map(\.session) }
  /// Whether no client is connected.
  var isEmpty: Bool { entries.isEmpty }

  /// Accepts a connection, or refuses it with the reason.
  func accept(_ descriptor: Descriptor, _ peer: PeerCredentials, isReadOnly: Bool) {
    let start = loop.now
    guard let stream = try? Stream(loop: loop, descriptor: descriptor, name: "session") else { return }
    last += 1
    let roles = isReadOnly ? .observe : context.settings.permissions.roles(of: peer, owner: geteuid())
    let out = Outgoing(
      context, id: last, user: peer.uid, isOwn: isOwn(peer), stream: stream, line: line, delegate: delegate)
    let session = Session(
      context, out, stream: stream, peer: peer, roles: roles, isReadOnly: isReadOnly, line: line, connections: self)
    entries[session.id] = Entry(session: session)
    // Connecting repeatedly also costs the user turns.
    defer { line.spend(bytes: 0, since: start, of: out) }
    guard !roles.isEmpty else {
      let error = WireError(
        .notPermitted,
        "permission denied: user \(peer.uid) has no role here; start initd with --allow-observe, --allow-control or --allow-register"
      )
      return refuse(session, error)
    }
    if let error = counts.refusal(of: user(session)) { return refuse(session, error) }
    counts.add(1, of: user(session))
    entries[session.id]?.isCounted = true
    silent.append(session.id)
    boundSilent(isReadOnly: isReadOnly)
    session.start()
  }

  /// Closes the oldest silent connection at a socket if there are too many.
  ///
  /// It belongs to the user with the most, so a user who connects often doesn't cause others to be disconnected.
  private func boundSilent(isReadOnly: Bool) {
    silent.removeAll { entries[$0]?.session.state != .silent }
    let sessions = silent.compactMap { entries[$0]?.session }.filter { $0.isReadOnly == isReadOnly }
    guard sessions.count > limits.silentConnections else { return }
    let byUser = Dictionary(grouping: sessions) { $0.peer.uid }.values
    byUser.max { ($0.count, $1[0].id) < ($1.count, $0[0].id) }?[0].close()
  }

  /// Returns the limit of connections per socket.
  ///
  /// The limit leaves this many descriptors, so what needs them continues even if clients use all their connections.
  private func connectionLimit(leaving others: Int) -> Int {
    let room = DescriptorLimit.room - others - limits.silentConnections - 2 * ConnectionCounts.reserved
    let limit = max(1, room / (context.settings.observers == nil ? 1 : 2))
    guard limit < limits.connections else { return limits.connections }
    context.logger.warning(
      """
      the limit is \(limit) connections instead of \(limits.connections): this process has too few descriptors; raise its hard limit \
      (ulimit -Hn, or LimitNOFILE= in its unit)
      """)
    return limit
  }

  /// Computes the limit of connections, and warns if it is low; connections beyond it stay.
  func limit(leaving others: Int) { counts.limit = connectionLimit(leaving: others) }

  /// Sends a refused client the reason.
  ///
  /// A few such connections stay open until the client has read the error; a new one closes the oldest.
  private func refuse(_ session: Session, _ error: WireError) {
    session.farewell(error)
    refused.removeAll { entries[$0] == nil }
    refused.append(session.id)
    if refused.count > limits.silentConnections { entries[refused.removeFirst()]?.session.close() }
  }

  /// Whether the peer is root or the supervisor's own user.
  private func isOwn(_ peer: PeerCredentials) -> Bool { peer.uid == 0 || peer.uid == geteuid() }

  /// Tells all clients that the supervisor has ended, and closes their connections.
  func end() {
    isEnded = true
    for session in sessions.sorted(by: { $0.id < $1.id }) where session.isReachable {
      session.out.makeAllReplies()
      session.out.notify(.shutdown)
      session.farewell()
    }
  }

  /// Continues a client whose turn has come.
  ///
  /// `least` is the minimum cost that the client may spend.
  func resume(_ client: Int, atLeast least: Int) { entries[client]?.session.resume(atLeast: least, isTurn: true) }

  // MARK: Called by the sessions

  /// Removes a connection that is closed.
  func closed(_ session: Session) {
    guard let entry = entries.removeValue(forKey: session.id) else { return }
    if entry.isCounted { counts.add(-1, of: user(session)) }
    record(-session.countedBytes, of: session)
    onClose()
  }

  private func record(_ difference: Int, of session: Session) {
    memory.add(difference, of: account(of: session))
    if difference < 0 { heap.freed(-difference) }
    heap.isLarge(memory.isLarge)
  }

  private func user(_ session: Session) -> ConnectionCounts.User {
    ConnectionCounts.User(id: session.peer.uid, isReadOnly: session.isReadOnly, isOwn: session.out.isOwn)
  }

  private func account(of session: Session) -> ClientMemory.User {
    ClientMemory.User(id: session.peer.uid, isOwn: session.out.isOwn && !session.isReadOnly)
  }

  /// Returns whether a slow subscriber gets no events for now, because clients use much memory; events never cause a client to be
  /// disconnected.
  func isCrowding(_ session: Session) -> Bool { memory.isCrowding(account(of: session)) }

  /// Updates the total memory of all clients.
  func account(for session: Session) {
    let held = session.heldBytes
    let counted = session.countedBytes
    guard held != counted, session.state != .closed else { return }
    session.countedBytes = held
    record(held - counted, of: session)
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
      let clients = sessions.filter { account(of: $0) == heaviest }
      guard let session = clients.max(by: { $0.countedBytes < $1.countedBytes }) else { return }
      let peer = session.peer
      context.logger.warning(
        """
        disconnected \(session.name.isEmpty ? "a client" : session.name) (user \(peer.uid)\(peer.pid.map { ", pid \($0)" } ?? "")): it \
        held \(session.countedBytes >> 10) KiB, and all clients together may hold \(limits.memory >> 10) KiB; raise --limit \
        clientBytes, or make the client read its answers
        """)
      session.close()
      line.spend(bytes: 0, since: start, of: session.out)
    }
  }
}
