import AppInitializers
import InitCore
import InitModel
import InitWire
import InitWords
import Testing

@testable import InitSupervisor

@Suite("PassBook")
struct PassBookTests {
  @Test("A run that is larger than a page is a page of its own: the pages have all runs, each once (protocol §4)")
  func largeRun() async throws {
    let names = (0..<9000).map { "\($0)-" + String(repeating: "n", count: 120) }
    let setting = Setting(objects: { names.map { Scripted($0) } + [Scripted("all", after: names)] })
    try await setting.play { stage in
      let client = try Client(stage)
      try client.call(WaitRequest(for: .launch))
      var params = HistoryRequest()
      var runs: [Pass.Run] = []
      for _ in 0..<50 {
        let result: HistoryRequest.Result = try client.call(params)
        runs = result.passes.flatMap(\.runs) + runs
        params.before = result.before
        guard result.before != nil else { break }
      }
      #expect(params.before == nil)
      #expect(runs.map(\.initializer) == names + ["all"])
      #expect(runs.last?.waitedFor == names)
    }
  }
}
