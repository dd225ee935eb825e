internal import Glibc

/// A listening socket that a service manager passed to this process (LISTEN_FDS, see sd_listen_fds(3)).
public struct PassedSocket: Sendable {
  /// The name from the service manager (LISTEN_FDNAMES); empty if there is none.
  public let name: String
  /// The path.
  public let path: String
  /// The socket, owned by this process.
  public let descriptor: Descriptor

  /// Returns the sockets that were passed to this process, in order; none if LISTEN_PID is another process.
  ///
  /// Call it once, at the start.
  ///
  /// - Parameter variables: the environment of this process.
  /// - Returns: the descriptors of the sockets, and their names.
  /// - Throws: ``PassedSocketError`` if one isn't a listening Unix stream socket with a path.
  public static func all(_ variables: [String: String]) throws(PassedSocketError) -> [PassedSocket] {
    try all(variables, from: 3)
  }

  /// Returns the sockets, with another number for the first descriptor.
  static func all(_ variables: [String: String], from first: Int32) throws(PassedSocketError) -> [PassedSocket] {
    guard variables["LISTEN_PID"].flatMap(Int32.init) == getpid(),
      let count = variables["LISTEN_FDS"].flatMap(Int32.init), count > 0, count < 1024
    else { return [] }
    let names = (variables["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
    var found: [PassedSocket] = []
    for index in 0..<count {
      let number = first + index
      let name = Int(index) < names.count ? String(names[Int(index)]) : ""
      found.append(PassedSocket(name: name, path: try path(of: number), descriptor: Descriptor(owning: number)))
    }
    return found
  }

  private static func path(of number: Int32) throws(PassedSocketError) -> String {
    guard fcntl(number, F_SETFD, FD_CLOEXEC) == 0 else { throw PassedSocketError(descriptor: number, fault: .closed) }
    _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let named = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(number, $0, &length) }
    }
    var isListening: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard named == 0, address.sun_family == sa_family_t(AF_UNIX), type(of: number) == Int32(SOCK_STREAM.rawValue),
      getsockopt(number, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0, isListening == 1
    else { throw PassedSocketError(descriptor: number, fault: .notListening) }
    let path = withUnsafeBytes(of: address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    guard !path.isEmpty else { throw PassedSocketError(descriptor: number, fault: .withoutPath) }
    return path
  }

  private static func type(of number: Int32) -> Int32 {
    var type: Int32 = -1
    var size = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &size) == 0 ? type : -1
  }
}

/// Why a passed descriptor can't be used.
public struct PassedSocketError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of the problem.
  public enum Fault: Hashable, Sendable {
    /// The descriptor isn't open.
    case closed
    /// The descriptor isn't a listening Unix stream socket.
    case notListening
    /// Without a path: every user could connect to an abstract socket.
    case withoutPath
  }

  /// The number.
  public let descriptor: Int32
  /// The problem of the descriptor.
  public let fault: Fault

  /// A text that says what is wrong, and what to do.
  public var description: String {
    let start = "cannot listen on descriptor \(descriptor), which LISTEN_FDS passes: "
    switch fault {
    case .closed: return start + "it isn't open; check the program that starts this one"
    case .notListening: return start + "it isn't a listening Unix stream socket; use ListenStream= with a path"
    case .withoutPath: return start + "it has no path; use ListenStream= with one"
    }
  }
}
