internal import CPlatform
package import Platform

extension Descriptor {
  /// The socket at the other end of a connected TCP or Unix socket; nil if it isn't connected any more.
  ///
  /// Read it when the connection is made: a peer that resets the connection takes its address away.
  package var answeringSocket: AnsweringSocket? {
    if let own = end(ofPeer: false), let peer = end(ofPeer: true) { return .tcp(from: own, to: peer) }
    var path = [CChar](repeating: 0, count: SocketAddress.maximumPathBytes + 1)
    let count = platform_unix_peer_path(number, &path, path.count)
    guard count >= 0 else { return nil }
    let listener = (try? PeerCredentials(of: self))?.pid
    return .unix(String(decoding: path[..<Int(count)].map { UInt8(bitPattern: $0) }, as: UTF8.self), listener: listener)
  }

  private func end(ofPeer isPeer: Bool) -> AnsweringSocket.End? {
    var bytes = [UInt8](repeating: 0, count: 16)
    var port: UInt16 = 0
    let count = platform_internet_end(number, isPeer ? 1 : 0, &bytes, &port)
    guard count > 0, let address = IPAddress(bytes[..<Int(count)]) else { return nil }
    return AnsweringSocket.End(address, port: port)
  }
}
