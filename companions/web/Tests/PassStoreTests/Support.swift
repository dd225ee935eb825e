import Foundation
import GRDB
import Passes

@testable import PassStore

/// A temporary directory, deleted at the end.
final class Scratch {
  let directory: String

  init() throws {
    var template = Array((FileManager.default.temporaryDirectory.path + "/history-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    directory = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  var path: String { directory + "/history.db" }

  /// Opens another connection to the database, as another program would.
  func connection() throws -> DatabaseQueue { try DatabaseQueue(path: path) }
}

extension EndedPass {
  /// Creates a pass whose initializers ran one after the other, for that many seconds each.
  static func example(
    _ number: Int = 1, instance: String = "6f0c", phase: Phase = .launch, outcome: Outcome = .complete,
    started: Double? = nil, running: KeyValuePairs<String, Double> = ["migrate": 0.5, "serve": 0.25]
  ) -> EndedPass {
    let started = started ?? 1_763_672_400 + 100 * Double(number)
    var now = started + 0.125
    var pass = EndedPass(
      instance: instance, number: number, phase: phase, started: started, opened: now, duration: 0,
      outcome: outcome, concurrency: 4)
    for (index, (name, seconds)) in running.enumerated() {
      let before = index > 0 ? running[index - 1].key : nil
      pass.runs.append(
        EndedRun(
          number: 10 * number + index, initializer: name, ready: now, started: now, duration: seconds, cpu: seconds / 2,
          outcome: outcome, waitedFor: before.map { [$0] } ?? []))
      pass.initializers.append(
        PassedInitializer(
          name: name, outcome: outcome.rawValue, waited: now - started - 0.125, running: seconds, cpu: seconds / 2))
      pass.criticalPath.append(
        PathStep(name: name, link: before == nil ? "opening" : "dependency", from: before, running: seconds))
      now += seconds
    }
    pass.duration = now - started
    return pass
  }
}

extension PassStore.Limits {
  /// More than any test has.
  static let wide = PassStore.Limits(age: .seconds(1e9), bytes: 1 << 40)
}
