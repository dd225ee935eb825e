import Glibc
import Testing

@testable import Libuv

/// What happens on a loop of its own, in a thread of its own, until somebody says how it ended.
final class Scene<Outcome: Sendable> {
  let loop: Loop
  private var outcome: Outcome?
  private var kept: [AnyObject] = []

  fileprivate init(loop: Loop) { self.loop = loop }

  /// Holds an object to the end of the scene.
  @discardableResult
  func keep<Object: AnyObject>(_ object: Object) -> Object {
    kept.append(object)
    return object
  }

  /// Ends the scene; the first outcome stands.
  func finish(_ outcome: Outcome) {
    if self.outcome == nil { self.outcome = outcome }
    loop.stop()
  }

  /// Handles are closed here, since their callbacks often hold them; one that wasn't kept must close itself.
  fileprivate func end() -> Outcome? {
    for object in kept { (object as? any Closable)?.close() }
    kept = []
    return outcome
  }
}

private protocol Closable { func close() }
extension Timer: Closable {}
extension Poll: Closable {}
extension Stream: Closable {}
extension Listener: Closable {}
extension Datagrams: Closable {}
extension SignalSource: Closable {}

/// A scene that nobody ended.
struct SceneStuck: Error {}

/// Plays a scene: `body` sets it up on the loop's thread. Fails if it is stuck, or leaves a handle open.
func play<Outcome: Sendable>(
  _: Outcome.Type = Outcome.self, _ body: @escaping @Sendable (Scene<Outcome>) throws -> Void
) async throws -> Outcome {
  try await inThread { try playHere(body) }
}

/// Runs `body` in a thread of its own: a loop blocks SIGPIPE in its thread, and the test's is everybody's.
func inThread<Outcome: Sendable>(_ body: @escaping @Sendable () throws -> Outcome) async throws -> Outcome {
  try await withCheckedThrowingContinuation { continuation in
    do {
      try PlatformThread.start(name: "test") { continuation.resume(with: Result { try body() }) }
    } catch {
      continuation.resume(throwing: error)
    }
  }
}

/// The same on the calling thread.
func playHere<Outcome: Sendable>(_ body: (Scene<Outcome>) throws -> Void) throws -> Outcome {
  let loop = try Loop()
  let scene = Scene<Outcome>(loop: loop)
  let guardian = Timer(loop: loop, name: "guardian")
  guardian.start(after: .seconds(300)) { loop.stop() }
  let setUp = Result { try body(scene) }
  if case .success = setUp { loop.run() }
  guardian.close()
  let outcome = scene.end()
  try loop.close()
  try setUp.get()
  guard let outcome else { throw SceneStuck() }
  return outcome
}

/// Asks again and again, for five minutes at most, until the answer is yes.
func eventually(_ isSo: () throws -> Bool) async rethrows -> Bool {
  for _ in 0..<30_000 {
    if try isSo() { return true }
    try? await Task.sleep(for: .milliseconds(10))
  }
  return false
}

/// A new directory that goes with everything in it. Its path is short enough for sockets.
final class TemporaryDirectory: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/libuv-XXXXXX".utf8CString)
    precondition(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { _ = try? run(["/bin/rm", "-rf", path]) }

  subscript(name: String) -> String { "\(path)/\(name)" }

  /// The names in it, sorted.
  var names: [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Writes a file; returns its path.
  ///
  /// Another process does it: a child that is being started at this moment would hold our descriptor for a while, and
  /// a file that is open for writing can't be executed.
  @discardableResult
  func write(_ name: String, _ text: String, mode: mode_t = 0o644) -> String {
    let script = "printf %s \"$1\" > \"$2\" && chmod \(String(mode, radix: 8)) \"$2\""
    precondition((try? run(["/bin/sh", "-c", script, "sh", text, self[name]])) == 0)
    return self[name]
  }
}

/// Starts a program without the module under test, and waits for it.
@discardableResult
func run(_ arguments: [String]) throws -> Int32 {
  var pid = pid_t()
  var argv = arguments.map { strdup($0) } + [nil]
  defer { for argument in argv { free(argument) } }
  let failure = posix_spawn(&pid, arguments[0], nil, nil, &argv, environ)
  guard failure == 0 else { throw SystemError(call: "posix_spawn", errno: failure) }
  var status: Int32 = 0
  while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
  return status
}

/// Two connected Unix stream sockets.
func socketPair() -> (Descriptor, Descriptor) {
  var ends: [Int32] = [-1, -1]
  let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  precondition(socketpair(AF_UNIX, type, 0, &ends) == 0)
  return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
}

/// A blocking client's connection, or nil with errno.
func connect(to path: String, datagram: Bool = false) -> Descriptor? {
  let type = Int32((datagram ? SOCK_DGRAM : SOCK_STREAM).rawValue) | Int32(SOCK_CLOEXEC.rawValue)
  let descriptor = Descriptor(owning: socket(AF_UNIX, type, 0))
  guard let address = SocketAddress(path: path), address.connect(descriptor) == 0 else { return nil }
  return descriptor
}

extension Descriptor {
  /// Writes all of it, or traps.
  func send(_ text: String) {
    let bytes = Array(text.utf8)
    precondition(Glibc.send(number, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count)
  }

  /// Reads to the end, blocking. Works for pipes and sockets.
  func readToEnd() -> String {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(number, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return String(decoding: all, as: UTF8.self) }
      all += buffer[..<count]
    }
  }

  /// Whether the number is open in this process.
  static func isOpen(_ number: Int32) -> Bool { fcntl(number, F_GETFD) >= 0 }
}
