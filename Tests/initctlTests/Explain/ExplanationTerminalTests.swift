import InitModel
import InitText
import InitTimeline
import InitWire
import InitWords
import Testing

@testable import initctl

struct ExplanationTerminalTests {
  /// Launch waits for a failed initializer with East Asian text, and for a chain of others.
  private static func why(chain: Int = 2) throws -> Explanation {
    var failed = Initializer.fake("価格表", .waiting, attempt: 1, phase: .launch, started: 998, duration: 0.5)
    failed.error = InitializationError(
      initializer: "価格表", reason: .initializerFailed(cause: .exit(status: 3)),
      message: "価格表 failed: 価格表を取得できません、事務所が閉まっています: exit status 3")
    failed.attempts = 4
    failed.nextAttempt = 1001.5
    var status = Status.launching([failed])
    for level in 0..<chain {
      var next = Initializer.fake("level-\(level)", .waiting, phase: .launch)
      next.dependencies = [status.initializers[level].name]
      status.initializers.append(next)
    }
    let target = WaitTarget.initializer("level-\(chain - 1)")
    return try #require(WhyTree.why(target, in: Situation(status)))
      .showing(["事務所に電話しています、返事がありません、もう一度"], of: "価格表", run: 1)
  }

  private func terminal(_ columns: Int) -> OutputTerminal {
    OutputTerminal(size: .init(columns: columns, rows: 24), hasColor: false)
  }

  @Test("On a terminal of 40 columns the tree is wrapped, and later lines keep its margin")
  func wrapped() throws {
    var why = Explanation()
    why.name = "ready"
    why.status = "pending"
    why.because = [try Self.why(), try Self.why(chain: 1)]
    #expect(
      why.lines(terminal(40), now: 1000) == [
        "ready is pending",
        "├─ level-1 waits for level-0",
        "│  └─ level-0 waits for 価格表",
        "│     └─ 価格表 has been waiting for",
        "│           1.5 s: attempt 1 of 4, next",
        "│           in 1.5 s, 価格表を取得できま",
        "│           せん、事務所が閉まっています",
        "│           : exit status 3",
        "│           価格表 | 事務所に電話してい",
        "│             ます、返事がありません、も",
        "│             う一度",
        "└─ level-0 waits for 価格表",
        "   └─ 価格表 has been waiting for 1.5 s:",
        "         attempt 1 of 4, next in 1.5 s,",
        "         価格表を取得できません、事務所",
        "         が閉まっています: exit status 3",
        "         価格表 | 事務所に電話しています",
        "           、返事がありません、もう一度",
      ])
  }

  @Test("No line is wider than the terminal, in deep trees too", arguments: [40, 60, 80, 300])
  func widths(columns: Int) throws {
    for chain in [1, 2, 5, 30] {
      let why = try Self.why(chain: chain)
      for indent in ["", "  "] {
        let lines = why.lines(terminal(columns), now: 1000, indent: indent)
        for line in lines { #expect(TextWidth.columns(line) <= columns && line.hasPrefix(indent)) }
        // Half of a line is left for text.
        for line in lines { #expect(line.prefix { " │├└─".contains($0) }.count <= columns / 2) }
      }
    }
  }

  @Test("Elsewhere each thing has one line")
  func pipe() throws {
    let why = try Self.why(chain: 12)
    #expect(why.lines(OutputTerminal(size: nil, hasColor: false), now: 1000) == why.lines(now: 1000))
    #expect(why.lines(terminal(300), now: 1000) == why.lines(now: 1000))
  }
}
