import InitManifest
import Testing

@Suite struct ManifestTests {
  @Test("A manifest of its version alone declares nothing and has the defaults")
  func onlyVersion() throws {
    let manifest = try Manifest.parse("version: 1\n", file: "init.yaml")
    #expect(manifest.initializers.isEmpty)
    #expect(manifest.workers.isEmpty)
    #expect(manifest.environment.isEmpty)
    #expect(manifest.concurrency == 1)
    #expect(manifest.registrationTimeout == .seconds(10))
    #expect(manifest.cancelGrace == .seconds(5))
  }
}
