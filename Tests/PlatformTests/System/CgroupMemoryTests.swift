import Testing

@testable import Platform

@Suite("CgroupMemory")
struct CgroupMemoryTests {
  private func limit(_ cgroups: String, _ files: [String: String]) -> Int? {
    CgroupMemory.limit(cgroups: cgroups) { files[$0] }
  }

  @Test("The limit is the smallest of the cgroup's own and those around it")
  func version2() {
    let files = [
      "/sys/fs/cgroup/system.slice/initd.service/memory.max": "max\n",
      "/sys/fs/cgroup/system.slice/memory.max": "536870912\n", "/sys/fs/cgroup/memory.max": "1073741824\n",
    ]
    #expect(limit("0::/system.slice/initd.service\n", files) == 512 << 20)
    #expect(limit("0::/system.slice\n", files) == 512 << 20)
    #expect(limit("0::/\n", files) == 1 << 30)
    #expect(limit("0::/initd.service\n", [:]) == nil)
    #expect(limit("0::/a\n", ["/sys/fs/cgroup/a/memory.max": "max\n"]) == nil)
  }

  @Test("In version 1, the hierarchy of the controller memory counts; a container's own limit is at the root")
  func version1() {
    let cgroups = "3:cpuset:/a\n2:cpu,memory:/docker/1a:b\n1:name=systemd:/c\n0::/a\n"
    let root = "/sys/fs/cgroup/memory/memory.limit_in_bytes"
    #expect(limit(cgroups, [root: "67108864\n"]) == 64 << 20)
    let own = "/sys/fs/cgroup/memory/docker/1a:b/memory.limit_in_bytes"
    #expect(limit(cgroups, [own: "33554432\n", root: "9223372036854771712\n"]) == 32 << 20)
    #expect(limit("3:cpuset:/a\n", ["/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "4096\n"]) == nil)
  }

  @Test("Text that isn't as documented is no limit, and a path leads nowhere outside of the hierarchy")
  func strange() {
    #expect(limit("", [:]) == nil)
    #expect(limit("nonsense\n0:\n", ["/sys/fs/cgroup/memory.max": "1\n"]) == nil)
    let files = ["/sys/fs/cgroup/memory.max": "4096\n", "/sys/fs/cgroup/../../tmp/memory.max": "1\n"]
    #expect(limit("0::/../../tmp\n", files) == 4096)
    #expect(limit("0::/\n", ["/sys/fs/cgroup/memory.max": "many\n"]) == nil)
  }
}
