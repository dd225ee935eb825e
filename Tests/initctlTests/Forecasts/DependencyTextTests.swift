import InitForecasts
import Testing

@testable import initctl

@Suite("A dependency on a command line")
struct DependencyTextTests {
  private func splits(_ text: String) -> [String] {
    DependencyText.splits(of: text).map { "\($0.dependent) \($0.dependency)" }
  }

  @Test("A colon separates two names; names may contain colons themselves")
  func colons() {
    #expect(splits("pages:menu") == ["pages menu"])
    #expect(splits("shelf:stock:books") == ["shelf stock:books", "shelf:stock books"])
    for text in ["", ":", "a", "a:", ":b", "a b:c", "a:-b"] { #expect(splits(text) == [], "\(text)") }
  }
}
