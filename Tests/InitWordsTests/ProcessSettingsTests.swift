import InitWords
import Testing

@Suite struct ProcessSettingsTests {
  @Test("S27: another user or another limit is other work; another niceness or output isn't")
  func identity() {
    var changes: [ProcessSettings] = Array(repeating: ProcessSettings(), count: 6)
    changes[0].user = ProcessSettings.UserName("shop")
    changes[1].user = ProcessSettings.UserName("shop", group: "adm")
    changes[2].limits.openFiles = 9
    changes[3].limits.memory = 9
    changes[4].limits.core = 9
    #expect(Set(changes.map(\.identity)).count == changes.count)
    var same = ProcessSettings()
    same.nice = 5
    same.showsOutput = true
    #expect(same.identity.isEmpty)
    for var change in changes {
      let before = change.identity
      change.nice = -5
      change.showsOutput = true
      #expect(change.identity == before)
    }
  }
}
