import Testing
import WebStatus

@Suite("The places of connections")
struct PlacesTests {
  @Test("A connection too many takes the place of the one that has waited longest for a request")
  func oldest() {
    var places = Places(limit: 3)
    #expect((1...3).map { places.enter($0) } == [nil, nil, nil])
    // 1 has asked, and waits since then.
    places.set(1, .answering)
    places.set(1, .awaiting)
    #expect(places.enter(4) == 2)
    #expect(places.enter(5) == 3)
    #expect(places.enter(6) == 1)
    #expect(places.count == 3)
  }

  @Test("Unfinished requests make room first, then slow readers of answers, then requests that are being answered")
  func order() {
    var places = Places(limit: 3)
    for id in 1...3 { #expect(places.enter(id) == nil) }
    places.set(1, .answering)
    places.set(2, .writing)
    #expect(places.enter(4) == 3)
    places.set(4, .answering)
    #expect(places.enter(5) == 2)
    places.set(5, .answering)
    #expect(places.enter(6) == 1)
  }

  @Test("A reader of events keeps its place; without another place, the new connection is refused")
  func readers() {
    var places = Places(limit: 2)
    for id in 1...2 { #expect(places.enter(id) == nil) }
    places.set(1, .events)
    #expect(places.enter(3) == 2)
    places.set(3, .events)
    #expect(places.enter(4) == 4)
    #expect(places.count == 2)
    #expect(places.leave(3) == false)
    #expect(places.enter(5) == nil)
  }

  @Test("When half of many connections have left, their memory is given back, once")
  func many() {
    var places = Places(limit: 1000)
    for id in 1...63 { #expect(places.enter(id) == nil) }
    let few = (1...63).filter { places.leave($0) }
    #expect(few.isEmpty)
    for id in 1...200 { #expect(places.enter(id) == nil) }
    let many = (1...200).filter { places.leave($0) }
    #expect(many == [100, 150])
  }

  @Test("A connection that has lost its place, or left, has no use")
  func gone() {
    var places = Places(limit: 1)
    _ = places.enter(1)
    #expect(places.enter(2) == 1)
    places.set(1, .events)
    #expect(places.leave(1) == false)
    #expect(places.count == 1)
    #expect(places.enter(3) == 2)
  }
}
