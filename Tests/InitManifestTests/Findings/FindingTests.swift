import InitDeclarations
import Testing

@testable import InitManifest

@Suite struct FindingTests {
  @Test("A value of a variable that looks like a reference is a warning, which doesn't prevent the use of the manifest")
  func warnings() throws {
    let manifest = try Manifest.parse(
      """
      version: 1
      environment: { DATA: /srv, LOG: "$DATA/log" }
      initializers:
        a: { command: ./a, environment: { A: "$DATA/x", B: "5$" } }
      workers:
        w: { command: ./w, environment: { "C\\e": $DATA } }
      """, file: "init.yaml")
    #expect(
      manifest.warnings.map(\.asWarning) == [
        "init.yaml:2:33: warning: environment LOG: \"$DATA\" is passed on literally; write ${DATA} for the value of the variable",
        "init.yaml:4:40: warning: environment A: \"$DATA\" is passed on literally; write ${DATA} for the value of the variable",
        "init.yaml:6:44: warning: environment C\\u{1B}: \"$DATA\" is passed on literally; write ${DATA} for the value of the variable",
      ])
    #expect(Set(manifest.settings.environment.values) == ["/srv", "$DATA/log"])
  }

  @Test("A finding is one line: file, line, column, problem, remedy")
  func description() {
    let finding = Finding(
      file: "etc/init.yaml", at: Position(line: 3, column: 7), problem: "x is wrong", remedy: "write y")
    #expect(finding.description == "etc/init.yaml:3:7: x is wrong; write y")
    #expect(finding.line == 3)
    #expect(finding.column == 7)
  }

  @Test("A file's name cannot break the line")
  func unprintableFile() {
    let finding = Finding(file: "a\nb\u{1B}[2J", at: .start, problem: "p", remedy: "r")
    #expect(finding.description == "a\\nb\\u{1B}[2J:1:1: p; r")
  }

  @Test("Findings are sorted by position; those at the same position keep their order")
  func order() {
    var findings = Findings(files: ["f"])
    findings.add(Position(line: 2, column: 1), "c", "")
    findings.add(Position(line: 1, column: 9), "b", "")
    findings.add(Position(line: 2, column: 1), "d", "")
    findings.add(Position(line: 1, column: 2), "a", "")
    #expect(findings.sorted().findings.map(\.problem) == ["a", "b", "c", "d"])
  }

  @Test("If there are too many findings, the first ones and the number of the others are reported")
  func limit() {
    var findings = Findings(files: ["f"])
    for line in (1...3500).reversed() { findings.add(Position(line: line, column: 1), "\(line)", "") }
    let told = findings.sorted().findings
    #expect(told.count == Findings.limit)
    #expect(told.dropLast().map(\.problem) == (1...999).map(String.init))
    #expect(told.last?.description == "f:1000:1: 2501 more mistakes from here on; correct those above and check again")
  }

  @Test("Exactly as many findings as the limit are all reported")
  func atTheLimit() {
    var findings = Findings(files: ["f"])
    for line in 1...Findings.limit { findings.add(Position(line: line, column: 1), "\(line)", "") }
    #expect(findings.sorted().findings.map(\.problem) == (1...Findings.limit).map(String.init))
  }
}
