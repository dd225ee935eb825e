import AppInitializers
import InitCore
import InitDeclarations
import InitJSON
import InitManifest
import InitModel
import InitWire
import InitWords
import TestSupport
import Testing

@testable import InitSupervisor

/// A source whose configurations are given by the test.
private struct Script: ConfigurationSource {
  let name = "script"
  let keys = Manifest.keys
  let next = Monitor<Result<[DeclaredInitializer], ConfigurationFault>>(.success([]))
  /// The number of times that the configuration was read.
  let reads = Monitor(0)
  var base: SupervisorConfiguration

  func read() throws(ConfigurationFault) -> (SupervisorConfiguration, warnings: [ConfigurationChanges.Finding]) {
    reads.withLock { $0 += 1 }
    var configuration = base
    configuration.initializers = try next.withLock { $0 }.get()
    return (configuration, [])
  }
}

private let finding = ConfigurationChanges.Finding(
  file: "script", line: 3, column: 5, severity: .error, message: "unknown key", suggestion: "remove it")

@Suite("Reloads")
struct ReloadsTests {
  @Test("S27: the program's own initializers stay, with their providers, when the others change")
  func objects() async throws {
    let scripts = Monitor<Script?>(nil)
    let setting = Setting(
      objects: { [Scripted("own", .appActive) {}] },
      configure: { configuration, _ in
        configuration.initializers = [.command("a", ["true"]), .command("b", ["true"], priority: .appActive)]
        let script = Script(base: configuration)
        scripts.withLock { $0 = script }
        configuration.source = script
      })
    try await setting.play { stage in
      let client = try Client(stage)
      let script = try #require(scripts.withLock { $0 })
      script.next.withLock {
        $0 = .success([.command("c", ["true"], priority: .appActive), .command("b", ["echo"], priority: .appActive)])
      }
      let result = try client.call(ReloadRequest())
      #expect(result.added == ["c"] && result.removed == ["a"] && result.unchanged == 0)
      #expect(result.changed.map(\.words) == ["b (command)"])
      try client.call(ActivateRequest())
      let state = try client.call(WaitRequest())
      #expect(state.state == .complete)
      let status = try client.call(StatusRequest())
      #expect(status.initializers.map(\.name) == ["own", "b", "c"])
      #expect(status.initializers.allSatisfy { $0.status == .complete })
    }
  }

  @Test("S27: what can't be read changes nothing, and each request reads again")
  func faults() async throws {
    let scripts = Monitor<Script?>(nil)
    let setting = Setting(configure: { configuration, _ in
      configuration.initializers = [.command("a", ["true"])]
      let script = Script(base: configuration)
      scripts.withLock { $0 = script }
      configuration.source = script
    })
    try await setting.play { stage in
      let client = try Client(stage)
      let script = try #require(scripts.withLock { $0 })
      for (fault, code) in [
        (ConfigurationFault.invalid([finding]), ErrorCode.invalidManifest),
        (.unreadable("it is gone"), .unreadableManifest),
      ] {
        script.next.withLock { $0 = .failure(fault) }
        let error = try #require(try client.refusal(of: ReloadRequest()))
        #expect(error.knownCode == code)
        if case .findings(let findings)? = error.detail { #expect(findings == [finding]) }
      }
      var once = DeclaredInitializer.command("a", ["true"])
      once.isOnce = true
      script.next.withLock { $0 = .success([once]) }
      let error = try #require(try client.refusal(of: ReloadRequest()))
      #expect(error.knownCode == .invalidManifest)
      guard case .findings(let findings)? = error.detail else { throw StageFault(description: "no findings") }
      #expect(findings.map(\.suggestion) == ["write `release: NAME` in the manifest, or set INITD_RELEASE"])
      script.next.withLock { $0 = .success([.command("a", ["true"])]) }
      #expect(try client.call(ReloadRequest()).unchanged == 1)
      #expect(script.reads.withLock { $0 } == 4)
    }
  }
}
