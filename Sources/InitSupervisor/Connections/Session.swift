internal import DequeModule
internal import InitWire
internal import Libuv
internal import Platform

/// A client's connection, from accept to close: what the supervisor knows of it. It decides nothing; the supervisor does.
final class Session {
  /// Can transition to: `silent` → `open`; either → `leaving` → `closed`, or straight to `closed`.
  enum State {
    /// It hasn't said hello.
    case silent
    /// It has.
    case open
    /// It was told its last; what it sends is dropped until it goes or its time is up.
    case leaving
    /// It is gone.
    case closed
  }

  /// Unique for the life of the supervisor; also its number as a worker and as the holder of a hold.
  let id: Int
  let stream: Stream
  /// Who is at the other end, by the kernel's word.
  let peer: PeerCredentials
  /// What it may do.
  let roles: Roles
  /// It came by the socket for observers.
  let isReadOnly: Bool
  /// It has a place among the connections; who is refused has none.
  var isCounted = false
  /// What it has spent of the loop's turns lately.
  var debt = FairTurns.Debt()
  var state = State.silent
  /// What it calls itself.
  var name = ""
  var decoder = FrameDecoder()
  /// Its clock: for the hello, for a frame that has begun, for its farewell.
  let timer: Libuv.Timer
  /// It sends no more.
  var hasEnded = false
  /// When the frame that has begun has to be complete.
  var frameDeadline: Duration?
  /// Since when nothing is read from it, if that is so.
  var pausedSince = Duration.zero
  /// Nothing more is read from it for now: its turn is over, or it doesn't read its answers.
  var isPaused = false
  var subscription = Subscription()
  /// What it is to be answered, once it is its turn and there is room.
  var replies: Deque<(id: RequestID, reply: Reply)> = []
  /// What of its bytes stands in the sum of all.
  var countedBytes = 0
  /// The numbers of its open waits.
  var waits: Set<Int> = []
  /// The runs that were sent to it and haven't been answered.
  var runs: Set<Int> = []
  /// It has registered names, even if they were taken away again.
  var isWorker = false
  /// The names it last told others of as a worker.
  var registered: [String] = []

  init(id: Int, stream: Stream, peer: PeerCredentials, roles: Roles, isReadOnly: Bool, loop: Loop) {
    self.id = id
    self.stream = stream
    self.peer = peer
    self.roles = roles
    self.isReadOnly = isReadOnly
    self.timer = Timer(loop: loop, name: "session")
  }

  /// The bytes that are kept for it: queued, of a frame that isn't complete, and of answers to come.
  var heldBytes: Int { stream.queuedBytes + decoder.bufferedBytes + replies.count * Self.bytesOfReply }
  /// About what an answer takes that hasn't been made.
  private static let bytesOfReply = 256

  /// Whether it can be sent to.
  var isReachable: Bool {
    switch state {
    case .silent, .open: true
    case .leaving, .closed: false
    }
  }
}
