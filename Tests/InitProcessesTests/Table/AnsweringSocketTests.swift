import Testing

@testable import InitProcesses
@testable import Platform

@Suite("AnsweringSocket")
struct AnsweringSocketTests {
  private let tcp = """
      sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
       0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 101 1 0 100 0 0 10 0
       1: 00000000:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 102 1 0 100 0 0 10 0
       2: 0100007F:1538 0100007F:ABCD 01 00000000:00000000 00:00000000 00000000  1000        0 103 1 0 100 0 0 10 0
       3: 0200000A:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 104 1 0 100 0 0 10 0
       4: 00000000:1539 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 105 1 0 100 0 0 10 0
       5: rubbish
       6: 0100007F:1538 0100007F:ABCE 01 00000000:00000000 00:00000000 00000000  1000        0 0 1 0 100 0 0 10 0
       7: 0100007F:ABCD 0100007F:1538 01 00000000:00000000 00:00000000 00000000  1000        0 106 1 0 100 0 0 10 0
    """
  private let tcp6 = """
      sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
       0: 00000000000000000000000000000000:1538 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 201 1 0 100 0 0 10 0
       1: 00000000000000000000000001000000:1538 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 202 1 0 100 0 0 10 0
       2: 0000000000000000FFFF00000100007F:153A 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 203 1 0 100 0 0 10 0
       3: 0000000000000000FFFF00000100007F:1538 0000000000000000FFFF00000100007F:ABCF 01 00000000:00000000 00:00000000 00000000  1000        0 204 1 0 100 0 0 10 0
       4: 00000000000000000000000000000000:153B 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 205 1 0 100 0 0 10 0
    """
  private let unix = """
    Num       RefCount Protocol Flags    Type St Inode Path
    0000000000000000: 00000002 00000000 00010000 0001 01 301 /run/bus.sock
    0000000000000000: 00000003 00000000 00000000 0001 03 302 /run/bus.sock
    0000000000000000: 00000002 00000000 00010000 0001 01 303 /run/bus.sock2
    0000000000000000: 00000002 00000000 00010000 0001 01 304 /run/a b.sock
    0000000000000000: 00000002 00000000 00010000 0001 01 305
    """

  private func inodes(to address: String, _ port: UInt16, from client: String, _ clientPort: UInt16) throws -> [Set<
    UInt64
  >] {
    let server = AnsweringSocket.End(try #require(IPAddress(address)), port: port)
    let client = AnsweringSocket.End(try #require(IPAddress(client)), port: clientPort)
    return AnsweringSocket.tcp(from: client, to: server).inodes(in: tcp + "\n" + tcp6)
  }

  @Test(
    "S32: the socket that has accepted the connection is the most certain one, then the one that listens at its address"
  )
  func accepted() throws {
    #expect(try inodes(to: "127.0.0.1", 0x1538, from: "127.0.0.1", 0xABCD) == [[103], [101]])
    #expect(try inodes(to: "::ffff:127.0.0.1", 0x1538, from: "::ffff:127.0.0.1", 0xABCD) == [[103], [101]])
    #expect(try inodes(to: "127.0.0.1", 0x1538, from: "127.0.0.1", 0xABCF) == [[204], [101]])
  }

  @Test(
    "S32: a connection that wasn't accepted yet belongs to the socket that listens at its very address, else at every address"
  )
  func listening() throws {
    #expect(try inodes(to: "127.0.0.1", 0x1538, from: "127.0.0.1", 0xABCE) == [[101]])
    #expect(try inodes(to: "127.0.0.2", 0x1538, from: "127.0.0.1", 0xABCE) == [[102]])
    #expect(try inodes(to: "10.0.0.2", 0x1538, from: "10.0.0.2", 0xABCE) == [[104]])
    // Another machine has this address, so the local sockets of the same port say nothing.
    #expect(try inodes(to: "10.0.0.3", 0x1538, from: "10.0.0.2", 0xABCE) == [])
    #expect(try inodes(to: "127.0.0.1", 0x1539, from: "127.0.0.1", 0xABCE) == [[105]])
    #expect(try inodes(to: "::1", 0x1538, from: "::1", 0xABCE) == [[202]])
    #expect(try inodes(to: "fd00::1", 0x1538, from: "fd00::1", 0xABCE) == [[201]])
    #expect(try inodes(to: "fd00::2", 0x1538, from: "fd00::1", 0xABCE) == [])
    #expect(try inodes(to: "::1", 0x1539, from: "::1", 0xABCE) == [])
    #expect(try inodes(to: "127.0.0.1", 0x153A, from: "127.0.0.1", 0xABCE) == [[203]])
    #expect(try inodes(to: "127.0.0.1", 0x153B, from: "127.0.0.1", 0xABCE) == [[205]])
  }

  @Test("S32: a Unix socket that listens is found by the path to which it was bound")
  func unixSockets() {
    #expect(AnsweringSocket.unix("/run/bus.sock", listener: nil).inodes(in: unix) == [[301]])
    #expect(AnsweringSocket.unix("/run/a b.sock", listener: 7).inodes(in: unix) == [[304]])
    #expect(AnsweringSocket.unix("", listener: nil).inodes(in: unix) == [[]])
  }
}
