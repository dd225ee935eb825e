import InitModel
import InitWire
import Testing

@testable import InitServer

@Suite("Connection counts")
struct ConnectionCountsTests {
  private let own = ConnectionCounts.User(id: 0, isReadOnly: false, isOwn: true)
  private let other = ConnectionCounts.User(id: 7, isReadOnly: false, isOwn: false)
  private let observer = ConnectionCounts.User(id: 7, isReadOnly: true, isOwn: false)

  @Test("Another user has at most half of the connections of each socket")
  func half() {
    var counts = ConnectionCounts()
    counts.limit = 4
    counts.add(2, of: other)
    #expect(counts.refusal(of: other)?.message.hasPrefix("cannot accept more than 2 connections of user 7") == true)
    #expect(counts.refusal(of: observer) == nil)
    counts.add(-1, of: other)
    #expect(counts.refusal(of: other) == nil)
  }

  @Test("Root and the supervisor's own user have connections beyond the limit")
  func reserved() {
    var counts = ConnectionCounts()
    counts.limit = 4
    counts.add(4, of: own)
    #expect(counts.refusal(of: other)?.message.hasPrefix("cannot accept more than 4 connections:") == true)
    #expect(counts.refusal(of: own) == nil)
    counts.add(ConnectionCounts.reserved, of: own)
    #expect(counts.refusal(of: own) != nil)
  }
}
