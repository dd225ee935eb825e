internal import Glibc
package import Platform

/// Looks up the addresses of a host, without blocking the loop.
///
/// An address is itself, and `localhost` needs no file. Other names are in `/etc/hosts`, or known to the name servers of
/// `/etc/resolv.conf`, which are asked over UDP. The C library isn't used: `initd` is a static program, which has no name services.
package final class NameLookup {
  /// The files that names are looked up in; tests have files of their own.
  package struct Sources: Sendable {
    package var hosts = HostsFile.path
    package var resolver = ResolverFile.path
    package var port: UInt16 = 53

    package init() {}
  }

  /// How many addresses of a name are used.
  package static let mostAddresses = 8
  /// The maximum size of a file that is read, in bytes.
  private static let maximumBytes = 1 << 20
  /// The maximum size of an answer over UDP, with room for servers that don't know the limit of 512.
  private static let maximumAnswer = 4096
  /// After how long a question is asked again.
  private static let patience = Duration.seconds(1)

  private let loop: Loop
  private let sources: Sources
  private let timer: Timer
  private var servers: [Poll?] = []
  private var resolution: Resolution?
  private var then: (([IPAddress], String?) -> Void)?

  /// Creates a look-up that hasn't begun.
  package init(loop: Loop, sources: Sources = Sources()) {
    self.loop = loop
    self.sources = sources
    timer = Timer(loop: loop, name: "look-up")
  }

  deinit { for server in servers { server?.close() } }

  /// The reason why there are no addresses yet, if the name servers are asked.
  package var silence: String? { resolution?.silence }

  /// Looks up a host, and calls `then` once, perhaps before this returns: with its addresses, or with the reason why there are none.
  package func find(_ host: String, then: @escaping ([IPAddress], String?) -> Void) {
    self.then = then
    if let known = Self.known(host) { return finish(known, nil) }
    let found = HostsFile.addresses(of: host, in: contents(sources.hosts))
    guard found.isEmpty else { return finish(found, nil) }
    let file = ResolverFile(contents(sources.resolver))
    var resolution = Resolution(host, file) { .random(in: .min ... .max) }
    let first = resolution.begin()
    self.resolution = resolution
    for (index, server) in file.servers.enumerated() { open(server, index) }
    perform(first)
  }

  /// Returns the addresses of a host that no file has to be read for; nil for others.
  static func known(_ host: String) -> [IPAddress]? {
    if let address = IPAddress(host) { return [address] }
    return ["localhost", "localhost."].contains(host.lowercased()) ? IPAddress.loopback : nil
  }

  /// Returns the text of a file; empty if it can't be read.
  private func contents(_ path: String) -> String {
    guard let file = try? RegularFile.open(path, followsLink: true),
      let bytes = try? file.contents(upTo: Self.maximumBytes, path)
    else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func open(_ address: IPAddress, _ index: Int) {
    servers.append(nil)
    do throws(SystemError) {
      let socket = try address.socket(isDatagram: true)
      guard address.connect(socket, port: sources.port) == 0 else { throw .last("connect") }
      let poll = try Poll(loop: loop, descriptor: socket, name: "name server")
      servers[index] = poll
      try poll.start(.readable) { [weak self] _ in self?.receive(index) }
    } catch {
      fail(index, error)
    }
  }

  private func fail(_ index: Int, _ error: SystemError) {
    servers[index]?.close()
    servers[index] = nil
    if let step = resolution?.failed(index, error.reason) { perform(step) }
  }

  private func perform(_ step: Resolution.Step) {
    guard then != nil else { return }
    switch step {
    case .wait: break
    case .ask: ask()
    case .found(let addresses): finish(addresses, nil)
    case .failed(let why): finish([], why)
    }
  }

  /// Sends the open questions to all servers, and again after a while.
  private func ask() {
    timer.start(after: Self.patience) { [weak self] in
      if let step = self?.resolution?.waited() { self?.perform(step) }
    }
    for message in resolution?.messages ?? [] {
      for index in servers.indices {
        guard let socket = servers[index]?.descriptor else { continue }
        // A full queue loses the question, as the network may; it is asked again.
        if !socket.send(message), errno != EAGAIN { fail(index, .last("send")) }
      }
    }
  }

  private func receive(_ index: Int) {
    while let socket = servers[index]?.descriptor, then != nil {
      guard let message = socket.receive(upTo: Self.maximumAnswer) else {
        if errno == EINTR { continue }
        if errno != EAGAIN { fail(index, .last("recv")) }
        return
      }
      if let step = resolution?.received(message, from: index) { perform(step) }
    }
  }

  private func finish(_ addresses: [IPAddress], _ fault: String?) {
    let action = then
    close()
    action?(Array(addresses.prefix(Self.mostAddresses)), fault)
  }

  /// Ends the lookup; nothing is called any more.
  package func close() {
    then = nil
    timer.close()
    for index in servers.indices {
      servers[index]?.close()
      servers[index] = nil
    }
  }
}
