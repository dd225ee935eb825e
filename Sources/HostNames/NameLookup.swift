package import EventLoop
internal import Glibc
package import Platform

/// Looks up the addresses of a host, without blocking the loop.
///
/// An address is itself, and `localhost` is this machine. Other names are in `/etc/hosts`, or known to the name servers of
/// `/etc/resolv.conf`; both files are read for each look-up. The C library isn't asked: it blocks, and a static program has no name
/// services.
package final class NameLookup {
  /// Which name servers are asked; tests have their own.
  package struct Servers: Sendable {
    /// The file that lists them.
    package var file = "/etc/resolv.conf"
    /// Their port.
    package var port: UInt16 = 53
    /// After how long a question is asked again, or of the next server.
    package var patience = Duration.seconds(1)

    package init() {}
  }

  /// How many addresses of a name are used.
  private static let mostAddresses = 8

  private let loop: Loop
  private let servers: Servers
  private let timer: Timer
  private var channel: NameChannel?
  private var then: (([IPAddress], String?) -> Void)?

  /// Creates a look-up that hasn't begun.
  package init(loop: Loop, servers: Servers = Servers()) {
    self.loop = loop
    self.servers = servers
    timer = Timer(loop: loop, name: "look-up")
  }

  /// Looks up a host until `deadline`, and calls `then` once, perhaps before this returns: with its addresses, IPv4 first, or with the
  /// reason why there are none.
  package func find(_ host: String, until deadline: Duration, then: @escaping ([IPAddress], String?) -> Void) {
    self.then = then
    if let known = Self.known(host) { return finish(known, nil) }
    let unreadable = unreadableFile
    let file = unreadable == nil ? servers.file : nil
    // Several servers are asked before the deadline, and the addresses of one kind are enough if no server knows the other kind.
    let patience = min(servers.patience, (deadline - loop.now) / 4)
    let channel = NameChannel(loop: loop, serversOf: file, port: servers.port, patience: patience)
    self.channel = channel
    timer.start(at: deadline) { [weak self] in self?.finish([], unreadable ?? channel.silence) }
    channel.find(host) { [weak self] addresses, fault in self?.finish(addresses, fault.map { unreadable ?? $0 }) }
  }

  /// Returns the addresses of a host that no file has to be read for; nil for others.
  private static func known(_ host: String) -> [IPAddress]? {
    if let address = IPAddress(host) { return [address] }
    return ["localhost", "localhost."].contains(host.lowercased()) ? IPAddress.loopback : nil
  }

  /// Why the file of the servers can't be read; nil if it can, or if there is none: then a server of this machine is asked.
  private var unreadableFile: String? {
    do throws(RegularFileError) {
      _ = try RegularFile.open(servers.file, followsLink: true)
      return nil
    } catch {
      switch error {
      case .system(let error) where error.errno == ENOENT: return nil
      case .system(let error): return "cannot read \(servers.file): \(error.reason)"
      case .irregular(let noun): return "cannot read \(servers.file): it is \(noun)"
      }
    }
  }

  private func finish(_ addresses: [IPAddress], _ fault: String?) {
    let action = then
    close()
    action?(Array(addresses.prefix(Self.mostAddresses)), fault)
  }

  /// Ends the look-up; nothing is called any more.
  package func close() {
    then = nil
    timer.close()
    channel?.close()
    channel = nil
  }
}
