internal import CCares
internal import EventLoop
internal import Glibc
internal import Platform

// Invariants:
//
// 1. c-ares is entered only by `enter`. Its callbacks only note what has happened; what follows from it, follows after c-ares has returned.
//    So a channel is never destroyed while c-ares uses it.
// 2. The sockets are c-ares's, which makes them close-on-exec and non-blocking. It closes a socket as soon as it has said that the socket
//    isn't watched any more: until then its poll has the descriptor, and gives it back.
// 3. The channel is destroyed with its object, so the address that c-ares has of the object stays valid.

/// A look-up of one name by c-ares, whose sockets and timeouts are watched by a loop.
final class NameChannel {
  /// How often each server is asked; each time, the patience doubles.
  private static let tries: Int32 = 2

  private let loop: Loop
  private let timer: Timer
  private var channel: ares_channel?
  private var polls: [ares_socket_t: Poll] = [:]
  private var name = ""
  /// The name that is still to be asked for.
  private var nextName: String?
  private var outcome: (addresses: [IPAddress], fault: String?)?
  private var then: (([IPAddress], String?) -> Void)?

  /// Creates a channel.
  ///
  /// `file` lists the name servers; if it is nil, names are only looked up in `/etc/hosts`. After `patience`, a question is asked again.
  init(loop: Loop, serversOf file: String?, port: UInt16, patience: Duration) {
    self.loop = loop
    timer = Timer(loop: loop, name: "name servers")
    var options = ares_options()
    // The file of aliases that HOSTALIASES names isn't read.
    options.flags = ARES_FLAG_NOALIASES
    options.lookups = strdup(file == nil ? "f" : "fb")
    options.resolvconf_path = strdup(file ?? "/dev/null")
    options.udp_port = port
    options.tcp_port = port
    options.timeout = Int32(max(1, patience / .milliseconds(1)))
    options.tries = Self.tries
    options.sock_state_cb_data = Unmanaged.passUnretained(self).toOpaque()
    options.sock_state_cb = { channel, socket, isRead, isWritten in
      var events: Poll.Events = isRead != 0 ? .readable : []
      if isWritten != 0 { events.insert(.writable) }
      NameChannel.of(channel)?.watch(socket, for: events)
    }
    defer {
      free(options.lookups)
      free(options.resolvconf_path)
    }
    let status = ares_init_options(
      &channel, &options,
      ARES_OPT_FLAGS | ARES_OPT_LOOKUPS | ARES_OPT_RESOLVCONF | ARES_OPT_UDP_PORT | ARES_OPT_TCP_PORT
        | ARES_OPT_TIMEOUTMS
        | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB)
    if status != ARES_SUCCESS { outcome = ([], words(for: status)) }
  }

  deinit { close() }

  /// The reason while no server has answered.
  var silence: String {
    let servers = servers
    return servers.count == 1
      ? "the name server \(servers[0]) doesn't answer"
      : "none of the name servers answers: \(servers.joined(separator: ", "))"
  }

  /// Looks up a name, and calls `then` once, perhaps before this returns: with the addresses, or the reason why there are none.
  func find(_ name: String, then: @escaping ([IPAddress], String?) -> Void) {
    self.then = then
    ask(name)
  }

  private func ask(_ name: String) {
    self.name = name
    enter { channel in
      var hints = ares_addrinfo_hints()
      hints.ai_flags = ARES_AI_NOSORT
      hints.ai_family = AF_UNSPEC
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
      ares_getaddrinfo(
        channel, name, nil, &hints,
        { channel, status, _, found in
          NameChannel.of(channel)?.note(status, found)
          if let found { ares_freeaddrinfo(found) }
        }, Unmanaged.passUnretained(self).toOpaque())
    }
  }

  /// Ends the look-up; nothing is called any more.
  func close() {
    then = nil
    timer.close()
    guard let channel else { return }
    self.channel = nil
    ares_destroy(channel)
  }

  /// Calls c-ares, and does what follows.
  private func enter(_ call: (ares_channel) -> Void) {
    if let channel { call(channel) }
    if let name = nextName {
      nextName = nil
      ask(name)
    } else if let outcome {
      let action = then
      close()
      action?(outcome.addresses, outcome.fault)
    } else if let channel {
      var buffer = timeval()
      guard let time = ares_timeout(channel, nil, &buffer)?.pointee else { return timer.stop() }
      timer.start(after: .seconds(time.tv_sec) + .microseconds(Int64(time.tv_usec))) { [weak self] in self?.process() }
    }
  }

  /// Handles that sockets are ready, or that some time has passed.
  private func process(reading: ares_socket_t = ARES_SOCKET_BAD, writing: ares_socket_t = ARES_SOCKET_BAD) {
    enter { ares_process_fd($0, reading, writing) }
  }

  private func watch(_ socket: ares_socket_t, for events: Poll.Events) {
    guard !events.isEmpty else {
      let poll = polls.removeValue(forKey: socket)
      poll?.close()
      _ = poll?.descriptor.release()
      return
    }
    do throws(SystemError) {
      try poll(of: socket).start(events) { [weak self] events in
        // A failed socket isn't ready for anything; c-ares finds the error by reading and writing.
        self?.process(
          reading: events.contains(.readable) || events.isEmpty ? socket : ARES_SOCKET_BAD,
          writing: events.contains(.writable) || events.isEmpty ? socket : ARES_SOCKET_BAD)
      }
    } catch {
      outcome = ([], "\(error)")
    }
  }

  private func poll(of socket: ares_socket_t) throws(SystemError) -> Poll {
    if let poll = polls[socket] { return poll }
    let descriptor = Descriptor(owning: socket)
    do {
      let poll = try Poll(loop: loop, descriptor: descriptor, name: "name server")
      polls[socket] = poll
      return poll
    } catch {
      _ = descriptor.release()
      throw error
    }
  }

  private func note(_ status: Int32, _ found: UnsafeMutablePointer<ares_addrinfo>?) {
    // While the channel is destroyed, its question ends without an answer.
    guard channel != nil else { return }
    switch status {
    case ARES_SUCCESS: outcome = (addresses(in: found), nil)
    // c-ares 1.18 gives up at the domain "." (`search .`), which makes no other name: the name itself is complete.
    case ARES_EBADNAME where name.last != ".": nextName = name + "."
    default: outcome = ([], words(for: status))
    }
  }

  private func addresses(in found: UnsafeMutablePointer<ares_addrinfo>?) -> [IPAddress] {
    var addresses: [IPAddress] = []
    var next = found?.pointee.nodes
    while let node = next?.pointee {
      if let address = IPAddress(node.ai_addr), !addresses.contains(address) { addresses.append(address) }
      next = node.ai_next
    }
    return addresses.filter { !$0.isIPv6 } + addresses.filter(\.isIPv6)
  }

  private func words(for status: Int32) -> String {
    switch status {
    case ARES_ENOTFOUND: "there is no such name"
    case ARES_ENODATA: "it has no address"
    case ARES_ETIMEOUT: silence
    case ARES_ECONNREFUSED:
      servers.count == 1
        ? "the name server \(servers[0]) fails" : "all name servers fail: \(servers.joined(separator: ", "))"
    default: String(cString: ares_strerror(status))
    }
  }

  /// The addresses of the name servers.
  private var servers: [String] {
    var first: UnsafeMutablePointer<ares_addr_node>?
    guard let channel, ares_get_servers(channel, &first) == ARES_SUCCESS else { return [] }
    defer { ares_free_data(first) }
    var servers: [String] = []
    var next = first
    while let node = next?.pointee {
      let address = withUnsafeBytes(of: node.addr) { IPAddress($0.prefix(node.family == AF_INET ? 4 : 16)) }
      servers.append(address?.description ?? "")
      next = node.next
    }
    return servers
  }

  private static func of(_ object: UnsafeMutableRawPointer?) -> NameChannel? {
    object.map { Unmanaged<NameChannel>.fromOpaque($0).takeUnretainedValue() }
  }
}

extension IPAddress {
  /// The address of a socket's address; nil if it is of another family.
  fileprivate init?(_ socketAddress: UnsafePointer<sockaddr>?) {
    guard let socketAddress else { return nil }
    let raw = UnsafeRawPointer(socketAddress)
    switch Int32(socketAddress.pointee.sa_family) {
    case AF_INET: self.init(withUnsafeBytes(of: raw.load(as: sockaddr_in.self).sin_addr) { Array($0) })
    case AF_INET6: self.init(withUnsafeBytes(of: raw.load(as: sockaddr_in6.self).sin6_addr) { Array($0) })
    default: return nil
    }
  }
}
