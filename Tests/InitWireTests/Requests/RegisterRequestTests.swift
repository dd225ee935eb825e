import InitModel
import InitWords
import Testing

@testable import InitWire

struct RegisterRequestTests {
  private func initializers(_ elements: String...) -> String {
    #"{"initializers":[\#(elements.joined(separator: ","))]}"#
  }

  @Test("a registration has all its members, or only a name (protocol §4)")
  func members() throws {
    let full = #"""
      {"name":"favorites","priority":"appActive","dependencies":["events","a/b"],"timeout":30,
       "retry":{"attempts":3,"delay":0.5,"factor":1,"maxDelay":5},"perProcess":true,"optional":true,"description":"d"}
      """#
    #expect(
      try decode(RegisterRequest.self, initializers(full, #"{"name":"b"}"#))
        == RegisterRequest(initializers: [
          RegisterRequest.Registration(
            name: "favorites", priority: .appActive, dependencies: ["events", "a/b"], timeout: 30,
            retry: RegisterRequest.Retry(attempts: 3, delay: 0.5, factor: 1, maxDelay: 5), perProcess: true,
            optional: true,
            description: "d"),
          RegisterRequest.Registration(name: "b"),
        ]))
    #expect(try decode(RegisterRequest.self, initializers()) == RegisterRequest(initializers: []))
  }

  @Test("missing members of retry have the defaults of S16")
  func retryDefaults() throws {
    #expect(
      try decode(RegisterRequest.self, initializers(#"{"name":"a","retry":{}}"#))
        == RegisterRequest(initializers: [RegisterRequest.Registration(name: "a", retry: RegisterRequest.Retry())]))
    #expect(RegisterRequest.Retry() == RegisterRequest.Retry(attempts: 1, delay: 1, factor: 2, maxDelay: 30))
  }

  @Test(
    "invalid members are named with their path",
    arguments: [
      ("{}", "params.initializers: must be given"), (#"{"initializers":{}}"#, "params.initializers: must be an array"),
      (#"{"initializers":["a"]}"#, "params.initializers[0]: must be an object"),
      (#"{"initializers":[{}]}"#, "params.initializers[0].name: must be given"),
      (
        #"{"initializers":[{"name":"a"},{"name":"b"},{"name":"é"}]}"#,
        "params.initializers[2].name: must be 1 to 128 characters (ASCII letters, digits and . _ : / @ + -) and start with a letter or digit"
      ),
      (
        #"{"initializers":[{"name":"a"},{"name":"a"}]}"#,
        "params.initializers[1].name: must not name \"a\" a second time"
      ),
      (
        #"{"initializers":[{"name":"a","priority":10}]}"#,
        #"params.initializers[0].priority: must be one of "appLaunch", "appActive""#
      ),
      (
        #"{"initializers":[{"name":"a","dependencies":"b"}]}"#, "params.initializers[0].dependencies: must be an array"
      ),
      (
        #"{"initializers":[{"name":"a","dependencies":["b",""]}]}"#,
        "params.initializers[0].dependencies[1]: \(InitializerName.requirement)"
      ),
      (
        #"{"initializers":[{"name":"a","dependencies":["b","b"]}]}"#,
        "params.initializers[0].dependencies[1]: must not name \"b\" a second time"
      ),
      (
        #"{"initializers":[{"name":"a"},{"name":"b","dependencies":["x","c-d","c.d"]}]}"#,
        #"params.initializers[1].dependencies[2]: must not share the variable INITD_INPUT_C_D with "c-d"; rename one of them"#
      ),
      (
        #"{"initializers":[{"name":"a","retry":{"attempts":0}}]}"#,
        "params.initializers[0].retry.attempts: must be an integer of at least 1"
      ),
      (
        #"{"initializers":[{"name":"a","retry":{"factor":0.5}}]}"#,
        "params.initializers[0].retry.factor: must be a number, at least 1 and less than 1e9"
      ),
      (
        #"{"initializers":[{"name":"a","retry":{"delay":-1}}]}"#,
        "params.initializers[0].retry.delay: must be a number of seconds, at least 0 and less than 1e9"
      ),
      (
        #"{"initializers":[{"name":"a","retry":{"maxDelay":true}}]}"#,
        "params.initializers[0].retry.maxDelay: must be a number of seconds, at least 0 and less than 1e9"
      ),
      (#"{"initializers":[{"name":"a","retry":3}]}"#, "params.initializers[0].retry: must be an object"),
      (
        #"{"initializers":[{"name":"a","timeout":"30s"}]}"#,
        "params.initializers[0].timeout: must be a number of seconds, at least 0 and less than 1e9"
      ),
      (#"{"initializers":[{"name":"a","perProcess":0}]}"#, "params.initializers[0].perProcess: must be true or false"),
      (#"{"initializers":[{"name":"a","optional":null}]}"#, "params.initializers[0].optional: must be true or false"),
      (#"{"initializers":[{"name":"a","description":[]}]}"#, "params.initializers[0].description: must be a string"),
    ])
  func wrong(params: String, message: String) {
    #expect(refusal(RegisterRequest.self, params) == message)
  }
}
