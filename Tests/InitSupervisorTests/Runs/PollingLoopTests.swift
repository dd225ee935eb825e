import Testing

@testable import InitSupervisor

@Suite("Commands that wait in a loop")
struct PollingLoopTests {
  private func pause(_ text: String, shell: String = "/bin/sh", option: String = "-c") -> Double? {
    PollingLoop.pause(of: [shell, option, text])
  }

  @Test(
    "A loop of a shell that sleeps until something holds is recognized, with its pause",
    arguments: [
      ("until pg_isready; do sleep 0.1; done", 0.1),
      ("until pg_isready --host \"$PWD/state\" >/dev/null; do sleep 1; done 2>/dev/null", 1),
      ("while ! curl -fs http://localhost/; do\n  echo waiting\n  sleep 2s\ndone\n", 2),
      ("set -e; i=0; until test -e up; do i=$((i+1)); sleep .5; done", 0.5),
      ("until a; do sleep 1m; done", 60),
    ] as [(String, Double)])
  func loops(text: String, seconds: Double) {
    #expect(pause(text) == seconds)
    #expect(pause(text, shell: "bash", option: "-ec") == seconds)
  }

  @Test(
    "Anything else isn't",
    arguments: [
      "sleep 5", "until pg_isready; do :; done", "until pg_isready; do sleep $DELAY; done",
      "until pg_isready; do sleep 1; done; ./migrate", "until pg_isready; do sleep 1; done && ./migrate",
      "sleep 3; until a; do sleep 1; done", "while read line; do sleep 1; done", "echo until",
      "until a; do sleep; done",
      "until a; do sleep -1; done", "until a; do sleep 0; done", "until a; do sleep 2h; done", "",
    ])
  func others(text: String) { #expect(pause(text) == nil) }

  @Test("Only a shell's command line is read")
  func programs() {
    let text = "until a; do sleep 1; done"
    #expect(PollingLoop.pause(of: ["python3", "-c", text]) == nil)
    #expect(PollingLoop.pause(of: ["sh", text]) == nil)
    #expect(PollingLoop.pause(of: ["sh", "-c"]) == nil)
    #expect(PollingLoop.pause(of: ["sh", "x", text]) == nil)
    #expect(PollingLoop.pause(of: []) == nil)
  }
}
