import CommandLineOptions
import Platform

extension Initd {
  /// Refuses options that a passed socket's unit determines: its path, mode and group.
  func refuseOptionsOf(_ passed: (main: PassedSocket?, observe: PassedSocket?)) throws {
    if let main = passed.main {
      if let socket, WorkingDirectory.absolute(socket) != main.path {
        try fail(.usage, "--socket is \(socket), and the service manager passes \(main.path); leave --socket out")
      }
      if access.socketMode != nil || access.socketGroup != nil {
        try fail(.usage, "the service manager passes \(main.path); set SocketMode= and SocketGroup= in its unit")
      }
    }
    if let observe = passed.observe {
      if let path = access.observeSocket, WorkingDirectory.absolute(path) != observe.path {
        try fail(
          .usage,
          "--observe-socket is \(path), and the service manager passes \(observe.path); leave --observe-socket out")
      }
      if access.observeSocketMode != nil {
        try fail(.usage, "the service manager passes \(observe.path); set SocketMode= in its unit")
      }
    }
  }

  /// Returns the sockets that systemd has passed: the main socket, and the socket named `observe`.
  func passedSockets(_ variables: [String: String]) throws -> (main: PassedSocket?, observe: PassedSocket?) {
    let sockets: [PassedSocket]
    do throws(PassedSocketError) {
      sockets = try PassedSocket.all(variables)
    } catch {
      try fail(.noSocket, "\(error)")
    }
    let observe = sockets.filter { $0.name == "observe" }
    let main = sockets.filter { $0.name != "observe" }
    if let extra = main.dropFirst().first ?? observe.dropFirst().first {
      try fail(
        .noSocket,
        "cannot listen on \(extra.path) too: a service manager may pass one socket, and one that it calls observe")
    }
    return (main.first, observe.first)
  }
}
