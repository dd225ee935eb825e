package import EventLoop
internal import Glibc
package import InitProcesses
package import Platform

/// Tries once to connect to a port or a Unix socket and to send a request, without blocking the loop.
package final class Dial {
  /// How many bytes of an answer are read at once.
  private static let part = 1024

  private let loop: Loop
  private var poll: Poll?
  private var then: ((SystemError?) -> Void)?

  /// The socket at the other end, once it is connected; nil if the peer has ended the connection before it could be read.
  package private(set) var answeringSocket: AnsweringSocket?

  /// Creates a dial that hasn't begun.
  package init(loop: Loop) { self.loop = loop }

  deinit { poll?.close() }

  /// Begins to connect, and calls `then` once, perhaps before this returns: with the reason if it isn't connected.
  package func connect(to address: IPAddress, port: UInt16, then: @escaping (SystemError?) -> Void) {
    self.then = then
    connect { () throws(SystemError) in
      try address.socket()
    } by: {
      address.connect($0, port: port)
    }
  }

  /// Connects to the Unix socket at a path, and calls `then` once before this returns: with the reason if it isn't connected.
  package func connect(toUnix path: String, then: @escaping (SystemError?) -> Void) {
    self.then = then
    guard let address = SocketAddress(path: path) else {
      return finish(SystemError(call: "connect", errno: ENAMETOOLONG))
    }
    connect { () throws(SystemError) in
      try Descriptor.unixSocket()
    } by: {
      address.connect($0)
    }
  }

  private func connect(_ make: () throws(SystemError) -> Descriptor, by connect: (Descriptor) -> Int32) {
    do throws(SystemError) {
      let socket = try make()
      let poll = try Poll(loop: loop, descriptor: socket, name: "dial")
      self.poll = poll
      guard connect(socket) != 0 else { return finish(fault(of: socket)) }
      guard errno == EINPROGRESS else { throw .last("connect") }
      try poll.start(.writable) { [weak self] _ in
        guard let self else { return }
        poll.stop()
        finish(fault(of: socket))
      }
    } catch {
      finish(error)
    }
  }

  /// Sends a short request to the peer, and calls `onBytes` with each part of the answer, with `[]` at its end, and with nil if the
  /// connection fails.
  ///
  /// After the end or a failure, no function is called any more.
  package func ask(_ request: [UInt8], onBytes: @escaping ([UInt8]?, SystemError?) -> Void) {
    guard let poll else { return }
    guard poll.descriptor.send(request) else { return onBytes(nil, .last("send")) }
    do throws(SystemError) {
      try poll.start(.readable) { [weak self] events in self?.receive(onBytes, isLast: events.isEmpty) }
    } catch {
      onBytes(nil, error)
    }
  }

  /// Passes on one part of an answer; the rest follows in later turns.
  ///
  /// `isLast` is true if the connection has failed: libuv doesn't watch it any more, so everything that has arrived is passed on, and then
  /// the failure.
  private func receive(_ onBytes: ([UInt8]?, SystemError?) -> Void, isLast: Bool) {
    repeat {
      guard let poll else { return }
      guard let bytes = poll.descriptor.receive(upTo: Self.part) else {
        guard isLast || errno != EAGAIN && errno != EINTR else { return }
        poll.stop()
        return onBytes(nil, .last("recv"))
      }
      if bytes.isEmpty { poll.stop() }
      onBytes(bytes, nil)
      if bytes.isEmpty { return }
    } while isLast
  }

  private func fault(of socket: Descriptor) -> SystemError? {
    let error = socket.socketError
    if error != 0 { return SystemError(call: "connect", errno: error) }
    return socket.isConnectedToItself ? SystemError(call: "connect", errno: ECONNREFUSED) : nil
  }

  private func finish(_ error: SystemError?) {
    let action = then
    then = nil
    if error == nil { answeringSocket = poll?.descriptor.answeringSocket }
    action?(error)
  }

  /// Closes the connection; nothing is called any more.
  package func close() {
    then = nil
    poll?.close()
    poll?.descriptor.close()
    poll = nil
  }
}
