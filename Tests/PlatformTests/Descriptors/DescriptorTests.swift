import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("Descriptor")
struct DescriptorTests {
  @Test("A descriptor is closed once: with its last reference, or earlier")
  func closes() throws {
    var (read, write): (Descriptor?, Descriptor?) = try Descriptor.pipe()
    write = nil
    #expect(read?.readToEnd() == "")
    let target = descriptorTarget(read?.number ?? -1)
    let number = read?.number ?? -1
    read?.close()
    #expect(read?.number == -1)
    read?.close()
    read = nil
    #expect(target != nil && descriptorTarget(number) != target)
    _ = write
  }

  @Test("A released number is not closed")
  func release() throws {
    let (read, write) = try Descriptor.pipe()
    let owner = Descriptor(owning: write.release())
    write.close()
    owner.send("x", pipe: true)
    owner.close()
    #expect(read.readToEnd() == "x")
    #expect(write.release() == -1)
  }

  @Test("Opened descriptors are close-on-exec")
  func closeOnExec() throws {
    let (read, write) = try Descriptor.pipe()
    let null = try Descriptor.openNull()
    for descriptor in [read, write, null, try Descriptor.unixSocket()] {
      #expect(fcntl(descriptor.number, F_GETFD) == FD_CLOEXEC)
    }
  }

  @Test("A pipe doesn't take the numbers of closed standard streams")
  func aboveStandardStreams() async {
    await #expect(processExitsWith: .success) {
      let saved = fcntl(1, F_DUPFD_CLOEXEC, 10)
      close(0)
      close(1)
      let (read, write) = try Descriptor.pipe()
      let numbers = (read.number, write.number)
      dup2(saved, 1)
      #expect(numbers.0 > 2 && numbers.1 > 2)
    }
  }
}
