import Testing

@testable import InitSupervisor

@Suite("Warnings")
struct WarningsTests {
  @Test("Each problem is shown in one sentence, as long as it lasts")
  func texts() {
    var warnings = Warnings()
    #expect(warnings.texts == [])
    warnings.damage = ["the state file is damaged"]
    warnings.runtimeDirectory = "cannot use /x"
    warnings.unwritten = "the state file is not written"
    warnings.unwrittenPasses = "the file of passes is not written"
    warnings.unwrittenFailures = "the file of failures is not written"
    warnings.unremembered = ["b", "a"]
    warnings.guardLoss = "the guard was lost"
    #expect(
      warnings.texts == [
        "the state file is damaged", "the state file is not written", "the file of passes is not written",
        "the file of failures is not written", "cannot use /x",
        "the guard was lost",
        "the state file is full (64 MiB): after a restart these run again: a, b",
      ])
    warnings.damage = []
    warnings.unwritten = nil
    warnings.unwrittenPasses = nil
    warnings.unwrittenFailures = nil
    warnings.unremembered.remove("a")
    warnings.unremembered.remove("b")
    #expect(warnings.texts == ["cannot use /x", "the guard was lost"])
  }

  @Test("Only the first of many names are shown")
  func bounded() {
    let names = (0..<12).map { "n\($0)" }
    #expect(Warnings.shown(names) == "n0, n1, n2, n3, n4, n5, n6, n7, n8, n9 and 2 more")
    #expect(Warnings.shown(Array(names.prefix(10))).hasSuffix("n9"))
  }
}
