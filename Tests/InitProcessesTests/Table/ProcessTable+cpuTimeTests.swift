import Glibc
import Testing

@testable import InitProcesses
@testable import Platform

@Suite("The CPU time of a process and its descendants")
struct ProcessTableCPUTimeTests {
  @Test("It is at least what this process has used, in ticks; that of a process that doesn't exist isn't known")
  func own() throws {
    var used = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
    let least = Duration.seconds(used.tv_sec) + .nanoseconds(used.tv_nsec) - .milliseconds(40)
    #expect(try #require(ProcessTable.cpuTime(ofFamily: getpid())) >= least)
    #expect(ProcessTable.cpuTime(ofFamily: .max) == nil)
  }
}
