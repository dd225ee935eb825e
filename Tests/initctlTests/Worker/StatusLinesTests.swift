import InitClient
import InitModel
import InitWire
import InitWords
import Testing

@testable import initctl

@Suite("StatusLines")
struct StatusLinesTests {
  private let run = RunRequest(run: 7, initializer: "a", pass: 2, phase: .active, attempt: 3)

  @Test("Each change of a run is a line of words")
  func runs() {
    #expect(StatusLines.line(of: .began(run)) == "run a 7 3")
    #expect(StatusLines.line(of: .cancelled(run, .deactivated)) == "cancel a 7 deactivated")
    #expect(StatusLines.line(of: .cancelled(run, nil)) == "cancel a 7 unknown")
    #expect(StatusLines.line(of: .lost(run)) == "cancel a 7 lost")
    for end in [WorkerRunChange.End.complete, .failed, .cancelled] {
      #expect(StatusLines.line(of: .ended(run, end)) == "done a 7")
    }
    #expect(StatusLines.line(of: .ended(run, .lost)) == nil, "it wasn't answered")
  }

  @Test("The connection is lost and restored")
  func connection() {
    #expect(StatusLines.line(of: .registered) == "connected")
    #expect(StatusLines.line(of: .lost(.lost(path: "/s", reason: "it ended"))) == "lost")
    #expect(StatusLines.line(of: .notRegistered(.closed)) == nil)
  }
}
