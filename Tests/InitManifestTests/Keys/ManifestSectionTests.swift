import Testing

@testable import InitManifest

@Suite struct ManifestSectionTests {
  @Test(
    "Each key is in its section once, with a meaning and an example that contains it",
    arguments: ManifestSection.allCases)
  func keys(section: ManifestSection) {
    #expect(Set(section.keys.map(\.name)).count == section.keys.count)
    for key in section.keys {
      #expect(key.meaning.hasSuffix("."), "\(key.name)")
      #expect(key.example.hasPrefix("\(key.name):") || key.example.contains("\n\(key.name):"), "\(key.name)")
    }
  }

  @Test("A worker's manifest has no keys that only a supervisor can use")
  func worker() {
    #expect(
      ManifestSection.manifest.keyNames(for: .worker) == [
        "version", "include", "initializers", "defaults", "environment", "environmentFile", "cancelGrace",
      ])
    let initializer = ManifestSection.initializer.keyNames(for: .worker)
    #expect(!initializer.contains("worker") && !initializer.contains("stop") && !initializer.contains("once"))
  }
}
