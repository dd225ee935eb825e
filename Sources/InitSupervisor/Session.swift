internal import DequeModule
internal import InitWire
internal import Libuv

/// The supervisor's record of a client's connection, from accept to close. It makes no decisions.
final class Session {
  /// Can transition to: `silent` → `open`; either → `leaving` → `closed`, or straight to `closed`.
  enum State {
    /// It hasn't sent hello.
    case silent
    /// It has.
    case open
    /// It got its last message; its input is dropped until it closes or the time has passed.
    case leaving
    /// It is closed.
    case closed
  }

  /// Its number, unique in the supervisor; also its number as a worker and as the owner of a hold.
  let id: Int
  let stream: Stream
  /// The peer, as the kernel reports it.
  let peer: PeerCredentials
  /// Its permissions.
  let roles: Roles
  /// Whether it connected to the socket for observers.
  let isReadOnly: Bool
  /// Whether it counts among the connections; a refused one doesn't.
  var isCounted = false
  /// Its recent cost in the loop's turns.
  var debt = FairTurns.Debt()
  var state = State.silent
  /// Its name from hello.
  var name = ""
  var decoder = FrameDecoder()
  /// Its timer: for hello, for an incomplete frame, or for its end.
  let timer: Libuv.Timer
  /// Whether its input has ended.
  var hasEnded = false
  /// The deadline of the incomplete frame.
  var frameDeadline: Duration?
  /// Since when reading from it is paused, if it is.
  var pausedSince = Duration.zero
  /// Whether reading is paused: its turn is over, or it doesn't read its answers.
  var isPaused = false
  var subscription = Subscription()
  /// Its pending answers, made when it is its turn and there is room.
  var replies: Deque<(id: RequestID, reply: Reply)> = []
  /// Its bytes that are counted in the sum of all clients.
  var countedBytes = 0
  /// The numbers of its open waits.
  var waits: Set<Int> = []
  /// The runs that were sent to it and haven't been answered.
  var runs: Set<Int> = []
  /// Whether it has registered names, even if they were removed again.
  var isWorker = false
  /// Its names as a worker, as last published.
  var registered: [String] = []

  init(id: Int, stream: Stream, peer: PeerCredentials, roles: Roles, isReadOnly: Bool, loop: Loop) {
    self.id = id
    self.stream = stream
    self.peer = peer
    self.roles = roles
    self.isReadOnly = isReadOnly
    self.timer = Timer(loop: loop, name: "session")
  }

  /// The bytes kept for it: queued messages, an incomplete frame, and pending answers.
  var heldBytes: Int { stream.queuedBytes + decoder.bufferedBytes + replies.count * Self.bytesOfReply }
  /// The approximate size of a pending answer.
  private static let bytesOfReply = 256

  /// Whether it can be sent to.
  var isReachable: Bool {
    switch state {
    case .silent, .open: true
    case .leaving, .closed: false
    }
  }
}
