import InitModel
import InitWire
import InitWords
import Testing

@testable import InitForecasts
@testable import InitHistory
@testable import InitTimeline

@Suite("Plot")
struct PlotTests {
  private func count(_ text: String, in svg: String) -> Int {
    svg.split(separator: text, omittingEmptySubsequences: false).count - 1
  }

  @Test("Each initializer has a row with its parts, in the order in which they started")
  func rows() throws {
    let svg = Plot(Timeline(recordedPass(), now: 0), caption: "Monday").svg
    #expect(count("<g", in: svg) == 2)
    let row = try #require(svg.split(separator: "\n").first { $0.contains("<title>b:") })
    for part in ["waited", "queued", "run failed", "backoff", "run complete"] {
      #expect(count("class=\"\(part)\"", in: String(row)) == 1, "\(part)")
    }
    #expect(row.contains("b: complete, waited 1 s, queued 250 ms, ran 2 s, paused 750 ms"))
    #expect(row.contains(">2 s, 2 attempts<"))
    #expect(svg.contains("Pass 2 (active) complete after 4 s"))
    #expect(svg.contains("Monday · 2 initializers · 1 at a time · held for 1 s before it could begin"))
  }

  @Test("Names are escaped: no markup, and no character that XML can't contain")
  func names() {
    let svg = Plot(Timeline(recordedPass(), now: 0)).svg
    #expect(svg.contains(">a&lt;&amp;&gt;\\u{1B}</text>"))
    #expect(!svg.contains("\u{1B}"))
    #expect(!svg.contains("a<&"))
  }

  @Test("An outcome has a mark besides its colour: a cross, a bar or an arrow")
  func marks() {
    var pass = recordedPass()
    pass.outcome = .known(.failed)
    for (outcome, mark) in [(OutcomeName.failed, "failed"), (.cancelled, "cancelled")] {
      pass.runs[2].outcome = .known(outcome)
      #expect(Plot(Timeline(pass, now: 0)).svg.contains("class=\"run \(mark)\""))
      #expect(Plot(Timeline(pass, now: 0)).svg.contains("class=\"mark \(mark)\""))
    }
    let svg = Plot(Timeline(recordedPass(inFlight: true), now: 104)).svg
    #expect(svg.contains("class=\"mark running\""))
    #expect(svg.contains("has been running for 3 s"))
  }

  @Test("The title of a pass that waits for launch says so, and nothing more")
  func unopened() {
    let pass = Pass(
      pass: 2, phase: .active, started: 100, opened: nil, duration: nil, outcome: nil, concurrency: 1, runs: [])
    let svg = Plot(Timeline(pass, now: 100.897)).svg
    #expect(svg.contains("<title>Pass 2 (active) has waited 897 ms for launch, and has not opened yet</title>"))
    #expect(!svg.contains("held for"))
  }

  @Test("The critical path is marked, and its steps are connected")
  func criticalPath() {
    let svg = Plot(Timeline(recordedPass(), now: 0)).svg
    #expect(count("<g class=\"critical\">", in: svg) == 2)
    #expect(count("class=\"link\"", in: svg) == 1)
  }

  @Test(
    "Light and dark colours are chosen by the reader's preference; no text overlaps the edge",
    arguments: [0, 1, 70, 400])
  func sizes(count: Int) {
    let runs = (0..<count).map { index in
      Pass.Run(
        run: index + 1, initializer: String(repeating: "n", count: index % 130) + "\(index)", attempt: 1, ready: 100,
        started: 100 + Double(index), duration: 1, outcome: .complete, waitedFor: [])
    }
    let pass = Pass(
      pass: 1, phase: .launch, started: 100, opened: 100, duration: Double(count), outcome: .complete, concurrency: 1,
      runs: runs)
    let timeline = Timeline(pass, now: 0)
    let svg = Plot(timeline).svg
    #expect(svg.contains("@media (prefers-color-scheme:dark)"))
    #expect(self.count("<g", in: svg) == count)
    let area = PlotArea(timeline)
    #expect(area.start < area.end && area.end < Double(area.width))
    #expect(svg.contains("height=\"\(area.height)\""))
  }
}

@Suite("PlotScale")
struct PlotScaleTests {
  @Test("Ticks are at round times, and labelled")
  func ticks() {
    let expected: [(Double, [String])] = [
      (0.0004, ["0", "0.1 ms", "0.2 ms", "0.3 ms", "0.4 ms"]),
      (0, ["0", "0.02 ms", "0.04 ms", "0.06 ms", "0.08 ms", "0.1 ms"]),
      (0.43, ["0", "100 ms", "200 ms", "300 ms", "400 ms"]), (2.2, ["0", "0.5 s", "1 s", "1.5 s", "2 s"]),
      (61, ["0", "20 s", "40 s", "60 s"]), (200, ["0", "1 min", "2 min", "3 min"]),
      (90_000, ["0", "6 h", "12 h", "18 h", "1 d"]),
    ]
    for (duration, labels) in expected {
      #expect(PlotScale(duration: duration, from: 0, to: 100).ticks.map(\.label) == labels)
    }
  }

  @Test("There are from 3 to 12 ticks for any duration")
  func counts() {
    var duration = 1e-5
    while duration < 1e8 {
      #expect(3...12 ~= PlotScale(duration: duration, from: 0, to: 1).ticks.count, "\(duration)")
      duration *= 1.37
    }
  }

  @Test(
    "Durations in words",
    arguments: [
      (0, "0 ms"), (0.0004, "0.4 ms"), (0.0099, "9.9 ms"), (0.21, "210 ms"), (0.9996, "1 s"), (1.239, "1.2 s"),
      (12.34, "12.3 s"),
      (59.96, "1 min"), (133, "2 min 13 s"), (3600, "1 h"), (11_100, "3 h 5 min"),
    ] as [(Double, String)])
  func words(seconds: Double, words: String) { #expect(PlotScale.words(seconds) == words) }

  @Test("A time is placed within the axis")
  func places() {
    let scale = PlotScale(duration: 10, from: 100, to: 200)
    #expect([-1, 0, 5, 10, 11].map(scale.x) == [100, 100, 150, 200, 200])
  }

  @Test("A long text loses its middle")
  func clipped() {
    #expect(XML.clipped("abcdefghij", to: 7) == "abcd…ij")
    #expect(XML.clipped("abcdefg", to: 7) == "abcdefg")
  }
}
