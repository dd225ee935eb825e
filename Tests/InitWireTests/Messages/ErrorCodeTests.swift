import InitModel
import Testing

@testable import InitWire

struct ErrorCodeTests {
  @Test("the codes and their names are those of protocol §7")
  func table() {
    let table: [(Int, String?)] = [
      (-32700, nil), (-32600, nil), (-32601, nil), (-32602, nil), (-32603, nil), (-32001, "unsupportedProtocol"),
      (-32002, "nameConflict"), (-32003, "timeout"), (-32004, "unknownInitializer"), (-32005, "notPermitted"),
      (-32006, "shuttingDown"), (-32007, "limitExceeded"), (-32008, "cancelled"), (-32009, "notRunning"),
      (-32010, "inactive"),
      (-32011, "invalidManifest"), (-32012, "unreadableManifest"),
    ]
    #expect(ErrorCode.allCases.map(\.rawValue) == table.map(\.0))
    #expect(ErrorCode.allCases.map(\.name) == table.map(\.1))
  }
}
