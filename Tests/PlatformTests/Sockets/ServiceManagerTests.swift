import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("ServiceManager")
struct ServiceManagerTests {
  let directory = TemporaryDirectory()

  private func receive(_ socket: Descriptor) -> String {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = max(0, recv(socket.number, &buffer, buffer.count, Int32(MSG_DONTWAIT)))
    return String(decoding: buffer[..<count], as: UTF8.self)
  }

  @Test("Assignments are sent in one datagram, one per line; a line break in a value doesn't add one")
  func told() throws {
    let address = try #require(SocketAddress(path: directory["n"]))
    let socket = try Descriptor.boundUnixSocket(address, mode: 0o600, isDatagram: true)
    let manager = try #require(ServiceManager(["NOTIFY_SOCKET": directory["n"]]))
    manager.notify([("STATUS", "a\nREADY=1"), ("WATCHDOG", "1")])
    #expect(receive(socket) == "STATUS=a READY=1\nWATCHDOG=1")
  }

  @Test("Notifications to a manager that doesn't listen are dropped")
  func deaf() throws {
    let manager = try #require(ServiceManager(["NOTIFY_SOCKET": directory["nobody"]]))
    manager.notify([("READY", "1")])
  }

  @Test(
    "Without a valid socket there is no manager",
    arguments: [nil, "", "relative", "/" + String(repeating: "x", count: 200)])
  func none(path: String?) {
    #expect(ServiceManager(path.map { ["NOTIFY_SOCKET": $0] } ?? [:]) == nil)
  }

  @Test(
    "The interval is half of the watchdog's time, if that is for this process",
    arguments: [
      (["WATCHDOG_USEC": "3000000"], Duration.milliseconds(1500)),
      (["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"], nil),
      (["WATCHDOG_USEC": "0"], nil), (["WATCHDOG_USEC": "x"], nil), ([:], nil),
    ] as [([String: String], Duration?)])
  func watchdog(variables: [String: String], interval: Duration?) throws {
    let manager = try #require(ServiceManager(variables.merging(["NOTIFY_SOCKET": "/n"]) { $1 }))
    #expect(manager.watchdogInterval == interval)
  }
}
