import InitCore
import InitModel
import InitWire
import Testing

@testable import InitRecords

private func done(_ name: String, _ work: String = "command 1", output: String? = nil, after: [String] = [])
  -> LaunchRecord.Entry
{
  LaunchRecord.Entry(name: name, work: work, output: output, dependencies: after)
}

private func declared(_ work: String = "command 1", _ again: AgainReason? = nil, after: [String] = [])
  -> Recollection.Present
{
  Recollection.Present(work: work, again: again.map { Initializer.Again($0) }, dependencies: after)
}

@Suite("Recollection")
struct RecollectionTests {
  @Test("What is complete with the same work stays complete, and so does a worker's that isn't declared")
  func same() {
    let entries = [done("a"), done("b", after: ["a"]), done("w", "worker", output: "7")]
    let recollection = Recollection(entries, present: ["a": declared(), "b": declared(after: ["a"])])
    #expect(recollection.complete == entries)
    #expect(recollection.again.isEmpty && recollection.notes.isEmpty && recollection.lines.isEmpty)
  }

  @Test("A change makes all direct and indirect dependents run again, even if the changed one is no longer declared")
  func changed() {
    let entries = [done("a"), done("b", after: ["a"]), done("c", after: ["b"]), done("d")]
    let present = ["b": declared(after: ["a"]), "c": declared(after: ["b"]), "d": declared()]
    let gone = Recollection(entries, present: present)
    #expect(gone.complete == [done("d")])
    #expect(gone.again == ["b": Initializer.Again(.dependency, of: "a"), "c": Initializer.Again(.dependency, of: "b")])
    let changed = Recollection(entries, present: present.merging(["a": declared("command 2")]) { $1 })
    #expect(
      changed.again["a"] == Initializer.Again(.changed) && changed.again["c"] == Initializer.Again(.dependency, of: "b")
    )
    #expect(changed.notes.map(\.name) == ["a", "b", "c"])
  }

  @Test("S25: what got an output that is made again runs again; what depends on one without an output doesn't")
  func renewed() {
    for reason in [AgainReason.secret, .stopped, .perProcess, .unrecorded] {
      for gave in [true, false] {
        let entries = [LaunchRecord.Entry(name: "a", again: reason, gave: gave), done("b", after: ["a"])]
        let recollection = Recollection(entries, present: ["a": declared(), "b": declared(after: ["a"])])
        #expect(recollection.again["a"] == Initializer.Again(reason))
        #expect(recollection.again["b"] == (gave ? Initializer.Again(.dependency, of: "a") : nil))
        #expect(recollection.notes.first == entries[0])
      }
    }
  }

  @Test("S30: what may be fresh is compared, unless it must run again anyway; without a fingerprint it runs again")
  func fresh() {
    var known = done("a", after: ["c"])
    known.fingerprint = "x"
    known.completed = 1500
    var present = ["a": declared(after: ["c"]), "b": declared(after: ["a"]), "c": declared()]
    present["a"]?.mayBeFresh = true
    let entries = [known, done("b", after: ["a"]), done("c")]
    let recollection = Recollection(entries, present: present)
    #expect(recollection.complete.map(\.name) == ["b", "c"])
    #expect(recollection.checked == [known])
    #expect(recollection.again == [:])
    #expect(known.known == Fingerprint("x", at: .milliseconds(1500)))
    let changed = Recollection(entries, present: present.merging(["c": declared("command 2")]) { $1 })
    #expect(changed.checked == [] && changed.again["a"] == Initializer.Again(.dependency, of: "c"))
    var unknown = known
    unknown.fingerprint = nil
    unknown.output = "1"
    let lost = Recollection([unknown, entries[1], entries[2]], present: present)
    #expect(lost.again == ["a": Initializer.Again(.inputs), "b": Initializer.Again(.dependency, of: "a")])
  }

  @Test("S31: what is waited for is checked again, and its dependents stay complete")
  func checked() {
    let present = ["db": declared("worker", .checked), "b": declared(after: ["db"])]
    for entry in [done("db", "command 1"), LaunchRecord.Entry(name: "db", again: .checked)] {
      let recollection = Recollection([entry, done("b", after: ["db"])], present: present)
      #expect(recollection.complete.map(\.name) == ["b"])
      #expect(recollection.again == ["db": Initializer.Again(.checked)])
    }
  }

  @Test("S22: a check that has become perProcess runs again, and its dependents don't")
  func perProcess() {
    let entries = [done("check"), done("b", after: ["check"])]
    let present = ["check": declared("command 1", .perProcess), "b": declared(after: ["check"])]
    let recollection = Recollection(entries, present: present)
    #expect(recollection.complete.map(\.name) == ["b"])
    #expect(recollection.again == ["check": Initializer.Again(.perProcess)])
  }

  @Test("A reason that isn't known is left out, and notes of names that aren't declared are dropped")
  func unknown() {
    var later = LaunchRecord.Entry(name: "a", again: .failed)
    later.again = "tired"
    let recollection = Recollection([later, LaunchRecord.Entry(name: "w", again: .failed)], present: ["a": declared()])
    #expect(recollection.again == ["w": Initializer.Again(.failed)])
    #expect(recollection.notes.isEmpty)
  }

  @Test("What ran when the supervisor ended is interrupted, unless it had completed or has another reason")
  func interrupted() {
    let entries = [done("a"), LaunchRecord.Entry(name: "b", again: .failed)]
    let present = ["a": declared(), "b": declared(), "c": declared()]
    let recollection = Recollection(entries, present: present, interrupted: ["a", "b", "c"])
    #expect(recollection.again == ["b": Initializer.Again(.failed), "c": Initializer.Again(.interrupted)])
  }

  @Test("Up to ten have a line each; more have a line for each reason")
  func lines() {
    func recollection(_ count: Int) -> Recollection {
      let names = (0..<count).map { "n\($0)" }
      let entries = names.map { done($0) } + [LaunchRecord.Entry(name: "z", again: .failed)]
      return Recollection(
        entries, present: Dictionary(uniqueKeysWithValues: (names + ["z"]).map { ($0, declared("command 2")) }))
    }
    #expect(recollection(9).lines.map(\.initializer) == (0..<9).map { "n\($0)" } + ["z"])
    #expect(
      recollection(11).lines == [
        Recollection.Line(
          text: "11 initializers run again: their definitions have changed since they completed: "
            + "n0, n1, n10, n2, n3, n4, n5, n6, n7, n8 and 1 more", initializer: nil, reason: .known(.changed)),
        Recollection.Line(text: "z runs again: it failed", initializer: "z", reason: .known(.failed)),
      ])
  }
}
