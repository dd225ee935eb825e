import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("ChildGuard")
struct ChildGuardTests {
  /// A group that doesn't exist.
  private static let group = Int32.max

  @Test("A released place is free again, and its group isn't guarded any more")
  func places() async {
    await #expect(processExitsWith: .success) {
      let guarded = try ChildGuard(grace: .zero, lock: nil)
      defer { guarded.close() }
      var places: [Int] = []
      for _ in 0..<ChildGuard.capacity {
        let place = try #require(guarded.place())
        guarded.group(at: place).pointee = ChildGuardTests.group
        places.append(place)
      }
      #expect(guarded.place() == nil)
      for place in places { guarded.release(place) }
      #expect(places.allSatisfy { guarded.group(at: $0).pointee == 0 })
      #expect(Set(places.map { _ in guarded.place() }).count == ChildGuard.capacity)
    }
  }

  @Test("A directory's place is free again once it was released, or the directory was removed")
  func directories() async {
    await #expect(processExitsWith: .success) {
      let guarded = try ChildGuard(grace: .zero, lock: nil)
      defer { guarded.close() }
      let parent = TemporaryDirectory()
      var places: [ChildGuard.Place] = []
      while let place = guarded.place(forDirectory: parent["none"]) { places.append(place) }
      #expect(places.count == 16)
      for place in places { place.release() }
      for _ in 0..<20 {
        let directory = PrivateDirectory(in: parent.path, guardedBy: { guarded })
        _ = try directory.path()
        directory.remove()
      }
      #expect(guarded.place(forDirectory: parent["none"]) != nil)
    }
  }

  @Test("A path of 127 bytes can be guarded, a longer one can't")
  func lengths() async {
    await #expect(processExitsWith: .success) {
      let guarded = try ChildGuard(grace: .zero, lock: nil)
      defer { guarded.close() }
      for (length, fits) in [(127, true), (128, false)] {
        let path = "/none/" + String(repeating: "x", count: length - 6)
        #expect((guarded.place(forDirectory: path) != nil) == fits)
      }
    }
  }
}
