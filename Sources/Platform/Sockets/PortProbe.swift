internal import Glibc

/// Finds out whether a TCP port can be listened at.
package enum PortProbe {
  /// Whether a port is free, for a server that sets SO_REUSEADDR, as servers do: a connection in TIME_WAIT doesn't matter.
  package enum Verdict: Sendable {
    case free
    /// Somebody listens at it.
    case inUse
    /// This process may not listen at it.
    case forbidden
  }

  /// Returns whether a server could listen at a port of every address, of IPv4 and of IPv6.
  package static func verdict(on port: Int) -> Verdict {
    for family in [AF_INET, AF_INET6] {
      switch bound(family, port).errno {
      case 0, EAFNOSUPPORT, EADDRNOTAVAIL: break
      case EACCES, EPERM: return .forbidden
      default: return .inUse
      }
    }
    return .free
  }

  /// Returns a port that the system considers free; `nil` if it finds none.
  package static func any() -> Int? {
    let (number, errno) = bound(AF_INET, 0)
    return errno == 0 && number > 0 ? number : nil
  }

  /// Binds a socket to a port of every address, and closes it; returns the port, and why that failed.
  private static func bound(_ family: Int32, _ port: Int) -> (port: Int, errno: Int32) {
    let number = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { return (0, errno) }
    let socket = Descriptor(owning: number)
    defer { socket.close() }
    var one: Int32 = 1
    setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    if family == AF_INET6 {
      setsockopt(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one, socklen_t(MemoryLayout<Int32>.size))
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(family)
      address.sin6_port = in_port_t(port).bigEndian
      let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(number, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
      return (port, result == 0 ? 0 : errno)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(family)
    address.sin_port = in_port_t(port).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(number, address, size) == 0, getsockname(number, address, &size) == 0 else { return (0, errno) }
        return (Int(in_port_t(bigEndian: pointer.pointee.sin_port)), 0)
      }
    }
  }
}
