import Testing

@testable import Platform

@Suite("ListeningSocket")
struct ListeningSocketTests {
  private let tcp = """
      sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
       0: 0100007F:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 101 1 0 100 0 0 10 0
       1: 00000000:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 102 1 0 100 0 0 10 0
       2: 0100007F:1538 0100007F:ABCD 01 00000000:00000000 00:00000000 00000000  1000        0 103 1 0 100 0 0 10 0
       3: 0200000A:1538 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 104 1 0 100 0 0 10 0
       4: 0100007F:1539 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 105 1 0 100 0 0 10 0
       5: rubbish
    """
  private let tcp6 = """
      sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
       0: 00000000000000000000000000000000:1538 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 201 1 0 100 0 0 10 0
       1: 00000000000000000000000001000000:1538 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 202 1 0 100 0 0 10 0
       2: 0000000000000000FFFF00000100007F:1538 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 203 1 0 100 0 0 10 0
    """
  private let unix = """
    Num       RefCount Protocol Flags    Type St Inode Path
    0000000000000000: 00000002 00000000 00010000 0001 01 301 /run/bus.sock
    0000000000000000: 00000003 00000000 00000000 0001 03 302 /run/bus.sock
    0000000000000000: 00000002 00000000 00010000 0001 01 303 /run/bus.sock2
    0000000000000000: 00000002 00000000 00010000 0001 01 304 /run/a b.sock
    0000000000000000: 00000002 00000000 00010000 0001 01 305
    """

  @Test("S32: the sockets that listen at an address, or at all addresses, are found by its port")
  func tcpSockets() {
    let loopback = IPAddress.loopback
    #expect(ListeningSocket.tcp(loopback[0], port: 5432).inodes(in: tcp) == [101, 102])
    #expect(ListeningSocket.tcp(loopback[0], port: 5432).inodes(in: tcp6) == [201, 203])
    #expect(ListeningSocket.tcp(loopback[1], port: 5432).inodes(in: tcp6) == [201, 202])
    #expect(ListeningSocket.tcp(loopback[1], port: 5432).inodes(in: tcp) == [])
    #expect(ListeningSocket.tcp(loopback[0], port: 5433).inodes(in: tcp) == [105])
  }

  @Test("S32: a Unix socket that listens is found by its path")
  func unixSockets() {
    #expect(ListeningSocket.unix("/run/bus.sock").inodes(in: unix) == [301])
    #expect(ListeningSocket.unix("/run/a b.sock").inodes(in: unix) == [304])
    #expect(ListeningSocket.unix("").inodes(in: unix) == [])
  }
}
