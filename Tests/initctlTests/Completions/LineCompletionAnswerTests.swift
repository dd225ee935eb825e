import InitModel
import InitWire
import Testing

@testable import CommandLineOptions
@testable import initctl

struct LineCompletionAnswerTests {
  /// The answer to a shell, with the names of a Status.
  private func answer(_ words: String..., status: Status = .fake) throws -> [String] {
    guard case .completion(var completion) = try Initctl.program.invocation(["complete", "--"] + words) else {
      return ["none"]
    }
    if let names = completion.names { completion.add(names: LineCompletion.candidates(names, in: status)) }
    return completion.text.split(separator: "\n").map(String.init)
  }

  private let names = [
    "migrate\tcomplete", "feature-toggles\trunning", "favorites\twaiting", "prices\tfailed",
  ]

  @Test("Names have their status; wait and why also complete the states")
  func namesWithStatus() throws {
    #expect(try answer("status", "") == names)
    #expect(try answer("graph", "m") == names)
    #expect(try answer("worker", "x", "--dependency", "") == names)
    for command in ["wait", "why"] {
      #expect(try answer(command, "") == ["ready", "launch", "active", "composite"] + names)
    }
    #expect(try answer("what-if", "--without=").first == "--without=migrate\tcomplete")
    #expect(try answer("what-if", "--duration", "").first == "migrate=\tcomplete")
  }

  @Test("Only logs completes the supervisor's processes too")
  func processes() throws {
    var status = Status.fake
    status.processes = [Status.Process(name: "pg", pid: 12)]
    #expect(try answer("logs", "", status: status) == names + ["pg\tprocess"])
    #expect(try answer("status", "", status: status) == names)
  }

  @Test("A word of a later version is an explanation without control characters")
  func later() throws {
    #expect(try answer("status", "", status: .later) == ["migrate\tskipped\\r"])
  }

  @Test("Closed choices complete to their words")
  func choices() throws {
    #expect(try answer("watch", "") == Topic.allCases.map(\.rawValue))
    #expect(try answer("blame", "--phase", "") == ["launch", "active", "all"])
    #expect(try answer("graph", "--format=") == ["text", "dot", "mermaid", "json"].map { "--format=" + $0 })
    #expect(try answer("worker", "x", "--priority", "") == ["appLaunch", "appActive"])
    #expect(try answer("completions", "") == ["bash", "zsh", "fish"])
    #expect(try answer("check", "") == [":files"])
    #expect(try answer("plot", "--output", "") == [":files"])
  }

  @Test("The request of a shell isn't a command in help")
  func hidden() throws {
    #expect(throws: UsageError.self) { try Initctl.program.invocation(["complete"]) }
    #expect(try answer("").contains { $0.hasPrefix("complete\t") } == false)
    guard case .text(let help) = try Initctl.program.invocation(["--help"]) else { throw UsageError("no help") }
    #expect(!help.contains("  complete  "))
  }
}
