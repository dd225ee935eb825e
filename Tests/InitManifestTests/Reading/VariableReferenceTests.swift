import Testing

@testable import InitManifest

struct VariableReferenceTests {
  @Test(
    "The first reference in capital letters is found",
    arguments: [
      ("$DATA/x", "DATA"), ("a:$B_2:$C", "B_2"), ("$$HOME", "HOME"), ("$1 $_X", "_X"), ("${OPEN $NEXT", "NEXT"),
      ("$A", "A"),
    ])
  func found(text: String, reference: String) {
    #expect(VariableReference.first(in: text) == reference)
  }

  @Test(
    "A dollar sign that is probably meant isn't one",
    arguments: [
      "", "$", "5$", "^a$", "pa$word", "pa$Word", "pa$SSword", "$1", "$(date)", "${DATA}", "${", "${}", "${A", "$ A",
    ])
  func notFound(text: String) {
    #expect(VariableReference.first(in: text) == nil)
  }
}
