import Testing

@testable import AppInitializers

/// A task-local value of these tests.
private enum Scope {
  @TaskLocal static var word = "none"
}

@Suite("InitManager: one task for successive runs")
struct IdleTaskTests {
  @Test("A run that starts at the end of another one is executed by the same task")
  func sameTask() async {
    let tasks = Journal<Int>()
    let manager = InitManager(
      (0..<3).map { number in
        Scripted("n\(number)", after: number == 0 ? [] : ["n\(number - 1)"]) {
          tasks.note(withUnsafeCurrentTask { $0.hashValue })
        }
      })
    #expect(await manager.launchState.settled() == .complete)
    #expect(tasks.entries.count == 3 && Set(tasks.entries).count == 1)
  }

  @Test("A run that cancels its own task doesn't cancel the next one")
  func selfCancelled() async {
    let seen = Journal<Bool>()
    let manager = InitManager([
      Scripted("a") { withUnsafeCurrentTask { $0?.cancel() } },
      Scripted("b", after: ["a"]) { seen.note(Task.isCancelled) },
    ])
    #expect(await manager.launchState.settled() == .complete)
    #expect(seen.entries == [false])
  }

  @Test("Every run has the task-local values of the code that created the manager")
  func taskLocals() async {
    let words = Journal<String>()
    let manager = Scope.$word.withValue("outer") {
      InitManager(
        (0..<3).map { number in
          Scripted("n\(number)", after: number == 0 ? [] : ["n\(number - 1)"]) {
            words.note(Scope.word)
            Scope.$word.withValue("inner") { words.note(Scope.word) }
          }
        })
    }
    #expect(await manager.launchState.settled() == .complete)
    #expect(words.entries == ["outer", "inner", "outer", "inner", "outer", "inner"])
  }
}
