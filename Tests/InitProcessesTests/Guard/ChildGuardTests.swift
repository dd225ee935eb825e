import Glibc
import TestSupport
import Testing

@testable import InitProcesses
@testable import Platform

@Suite("ChildGuard")
struct ChildGuardTests {
  /// A group that doesn't exist.
  private static let group = Int32.max

  @Test("A released slot is free again, and its group isn't guarded any more")
  func slots() async {
    await #expect(processExitsWith: .success) {
      let guarded = try ChildGuard(grace: .zero, lock: nil)
      defer { guarded.close() }
      var slots: [Int] = []
      for _ in 0..<ChildGuard.capacity {
        let slot = try #require(guarded.slot())
        guarded.group(at: slot).pointee = ChildGuardTests.group
        slots.append(slot)
      }
      #expect(guarded.slot() == nil)
      for slot in slots { guarded.release(slot) }
      #expect(slots.allSatisfy { guarded.group(at: $0).pointee == 0 })
      #expect(Set(slots.map { _ in guarded.slot() }).count == ChildGuard.capacity)
    }
  }

  @Test("A directory's slot is free again once it was released, or the directory was removed")
  func directories() async {
    await #expect(processExitsWith: .success) {
      let guarded = try ChildGuard(grace: .zero, lock: nil)
      defer { guarded.close() }
      let parent = TemporaryDirectory()
      var slots: [ChildGuard.Slot] = []
      while let slot = guarded.slot(forDirectory: parent["none"]) { slots.append(slot) }
      #expect(slots.count == 16)
      for slot in slots { slot.release() }
      for _ in 0..<20 {
        let directory = PrivateDirectory(in: parent.path, guardedBy: { guarded })
        _ = try directory.path()
        directory.remove()
      }
      #expect(guarded.slot(forDirectory: parent["none"]) != nil)
    }
  }

  @Test("A path of 127 bytes can be guarded, a longer one can't")
  func lengths() async {
    await #expect(processExitsWith: .success) {
      let guarded = try ChildGuard(grace: .zero, lock: nil)
      defer { guarded.close() }
      for (length, fits) in [(127, true), (128, false)] {
        let path = "/none/" + String(repeating: "x", count: length - 6)
        #expect((guarded.slot(forDirectory: path) != nil) == fits)
      }
    }
  }
}
