import CPlatform
import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("CrashReport")
struct CrashReportTests {
  /// Reports crashes, even if Swift's runtime would.
  private static func install() {
    for number in [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP] { platform_default_signal(number) }
    CrashReport.install(program: "demo", version: "1")
  }

  #if arch(arm64)
    private static let trap = (number: SIGTRAP, name: "SIGTRAP")
  #else
    private static let trap = (number: SIGILL, name: "SIGILL")
  #endif

  /// The report, without its build and its stack, and how many addresses the stack has.
  private static func report(_ result: ExitTest.Result?) throws -> (text: String, frames: Int) {
    let errors = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let line = try #require(errors.split(separator: "\n").first { $0.hasPrefix("demo 1 crashed: ") })
    let parts = line.split(separator: "; report this line: build ")
    try #require(parts.count == 2)
    let words = parts[1].split(separator: " ")
    try #require(words.count > 2 && words[0].count == 41 && words[0].hasSuffix(",") && words[1] == "stack")
    for word in words.dropFirst(2) { try #require(word.hasPrefix("0x") && UInt(word.dropFirst(2), radix: 16) != nil) }
    return (String(parts[0]), words.count - 2)
  }

  @Test("A trap of Swift is reported with its callers, and the process ends by the signal")
  func trap() async throws {
    let result = await #expect(processExitsWith: .signal(Self.trap.number), observing: [\.standardErrorContent]) {
      Self.install()
      preconditionFailure()
    }
    let report = try Self.report(result)
    #expect(report.text == "demo 1 crashed: \(Self.trap.name)")
    #expect(report.frames > 3)
  }

  @Test("An access to memory that isn't there is reported with its address")
  func access() async throws {
    let result = await #expect(processExitsWith: .signal(SIGSEGV), observing: [\.standardErrorContent]) {
      Self.install()
      print(UnsafePointer<Int>(bitPattern: 0x10)?.pointee ?? 0)
    }
    #expect(try Self.report(result).text == "demo 1 crashed: SIGSEGV at address 0x10")
  }

  @Test("An abort is reported")
  func abortion() async throws {
    let result = await #expect(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
      Self.install()
      abort()
    }
    #expect(try Self.report(result).text == "demo 1 crashed: SIGABRT")
  }

  @Test("A stack that overflows is reported with its newest calls")
  func overflow() async throws {
    let result = await #expect(processExitsWith: .signal(SIGSEGV), observing: [\.standardErrorContent]) {
      Self.install()
      print(deep(1))
    }
    let report = try Self.report(result)
    #expect(report.text.hasPrefix("demo 1 crashed: SIGSEGV at address 0x"))
    #expect(report.frames == 65)
  }

  @Test("A call of an address without code is reported, and the report ends there")
  func noCode() async throws {
    let result = await #expect(processExitsWith: .signal(SIGSEGV), observing: [\.standardErrorContent]) {
      Self.install()
      let function = unsafeBitCast(0x10, to: (@convention(c) () -> Void).self)
      function()
    }
    let report = try Self.report(result)
    #expect(report.text == "demo 1 crashed: SIGSEGV at address 0x10")
  }

  @Test("An ignored signal stays ignored, and a handler stays")
  func others() async {
    await #expect(processExitsWith: .success) {
      signal(SIGABRT, SIG_IGN)
      signal(SIGTRAP) { _ in exit(0) }
      CrashReport.install(program: "demo", version: "1")
      raise(SIGABRT)
      raise(SIGTRAP)
      exit(1)
    }
  }
}

/// Calls itself without end.
@inline(never)
private func deep(_ number: Int) -> Int { number > 0 ? deep(number + 1) &+ number : 0 }
