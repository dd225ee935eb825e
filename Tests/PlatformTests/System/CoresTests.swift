import Glibc
import Testing

@testable import Platform

@Suite("The cores that this process may use")
struct CoresTests {
  @Test("The groups of a process are its own and all around it")
  func groups() {
    let root = "/sys/fs/cgroup"
    #expect(Cores.groups(of: "0::/\n") == [root])
    #expect(
      Cores.groups(of: "4:memory:/x\n0::/system.slice/initd.service\n")
        == [root, "\(root)/system.slice", "\(root)/system.slice/initd.service"])
    // Only version 1, none, and a path outside of the namespace's root.
    for text in ["4:cpu:/x\n", "", "0::/../other\n"] { #expect(Cores.groups(of: text) == []) }
  }

  @Test("A quota is its share of a period; max is none")
  func quotas() {
    #expect(Cores.quota("150000 100000\n") == 1.5)
    #expect(Cores.quota("50000 100000") == 0.5)
    for text in ["max 100000\n", "", "1", "0 100000", "5 0", "a b", "1 2 3"] { #expect(Cores.quota(text) == nil) }
  }

  @Test("The use of a group is the line usage_usec")
  func usage() {
    #expect(Cores.usage("usage_usec 2500000\nuser_usec 1\n") == .milliseconds(2500))
    #expect(Cores.usage("user_usec 1\n") == nil)
  }

  @Test("Busy ticks are all but idle and iowait, of our cores alone")
  func ticks() {
    let text = """
      cpu  111 222 333 444 555 666 777 888 0 0
      cpu0 1 2 4 1000 2000 8 16 32 64 128
      cpu1 100 0 0 5 5 0 0 0 0 0
      intr 5 5 5
      cpu2 9 9 9 9 9 9 9 9 9 9
      """
    #expect(Cores.busyTicks(text) { _ in true } == 163)
    #expect(Cores.busyTicks(text) { $0 == 0 } == 63)
    #expect(Cores.busyTicks(text) { $0 == 1 } == 100)
    #expect(Cores.busyTicks(text) { $0 == 2 } == nil)
    #expect(Cores.busyTicks("") { _ in true } == nil)
  }

  @Test("A process may use at least a part of a core, and at most all; what was used grows")
  func reading() throws {
    let first = try #require(Cores.read())
    #expect(first.count > 0 && first.count <= Double(sysconf(Int32(_SC_NPROCESSORS_CONF))))
    let before = try #require(first.used)
    #expect(try #require(Cores.read()?.used) >= before)
  }
}
