internal import CPlatform
internal import Glibc

/// A detached system thread, for code that must not run on Swift's pool: a loop, and blocking code.
package enum PlatformThread {
  /// Starts a thread that runs `body` and ends.
  ///
  /// The name is shown by `ps` and debuggers, truncated to 15 bytes.
  package static func start(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let start = Unmanaged.passRetained(Start(name: name, body: body))
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    var thread = pthread_t()
    let status =
      FaultInjection.refuses()
      ? errno
      : pthread_create(
        &thread, &attributes,
        { argument in
          guard let argument else { return nil }
          let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
          platform_name_this_thread(String(decoding: start.name.utf8.prefix(15), as: UTF8.self))
          start.body()
          return nil
        }, start.toOpaque())
    guard status == 0 else {
      start.release()
      throw SystemError(call: "start the thread", errno: status, subject: name)
    }
  }

  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }
}
