import Testing

@testable import InitRecords

@Suite("RecordProblems")
struct RecordProblemsTests {
  @Test("Each problem is shown in one sentence, as long as it lasts")
  func texts() {
    var problems = RecordProblems()
    #expect(problems.texts == [])
    problems.damage = ["the state file is damaged"]
    problems.unwritten = "the state file is not written"
    problems.unwrittenPasses = "the file of passes is not written"
    problems.unwrittenFailures = "the file of failures is not written"
    problems.unremembered = ["b", "a"]
    #expect(
      problems.texts == [
        "the state file is damaged", "the state file is not written", "the file of passes is not written",
        "the file of failures is not written",
        "the state file is full (64 MiB): after a restart these run again: a, b",
      ])
    problems.damage = []
    problems.unwritten = nil
    problems.unwrittenPasses = nil
    problems.unwrittenFailures = nil
    problems.unremembered.remove("a")
    problems.unremembered.remove("b")
    #expect(problems.texts == [])
  }
}
