import InitCore
import InitDeclarations
import Testing

@testable import InitManifest

@Suite struct ManifestComposerExpandTests {
  private func environment(_ variables: [String: String]?) -> [String] {
    (variables ?? [:]).map { "\($0.key)=\($0.value)" }.sorted()
  }

  @Test("Environment files are below environment, and each is read relative to the file that names it")
  func files() throws {
    let manifest = try compose(
      ["conf/init.yaml"],
      texts: [
        "conf/init.yaml": """
        version: 1
        include: [../more/common.yaml]
        environmentFile: [.env, more.env]
        environment: { B: own }
        initializers:
          a: { command: x, environmentFile: [a.env], environment: { D: own } }
          b: { command: x, environmentFile: [a.env] }
        """,
        "conf/.env": "A=env\nB=env\nC=env\n", "conf/more.env": "C=more\n", "conf/a.env": "D=a\nE='$x ${A}'\n",
        "conf/../more/common.yaml": "workers: { w: { command: x, environmentFile: [w.env] } }\n",
        "conf/../more/w.env": "W=w\n",
      ])
    #expect(environment(manifest.settings.environment) == ["A=env", "B=own", "C=more"])
    #expect(environment(manifest.initializers[0].command?.environment) == ["D=own", "E=$x ${A}"])
    #expect(environment(manifest.initializers[1].command?.environment) == ["D=a", "E=$x ${A}"])
    #expect(environment(manifest.workers[0].command.environment) == ["W=w"])
    #expect(manifest.warnings == [])
  }

  @Test("A variable is one that the command has so far")
  func scopes() throws {
    let manifest = try compose(
      ["init.yaml"],
      texts: [
        "init.yaml": """
        version: 1
        environmentFile: [.env]
        environment: { B: "${A}", A: "${A}/1", C: "$${A} $A", N: "${N:-none}${A}" }
        initializers:
          a: { command: "echo ${A}", environmentFile: [a.env], environment: { A: "${A}/${F}", D: x }, workingDirectory: "${D}/${A}" }
          b: { command: [echo, "${A}"], workingDirectory: "./${B}" }
        """,
        ".env": "B=file\n", "a.env": "F=f\n",
      ], variables: ["A": "out", "B": "out"])
    #expect(environment(manifest.settings.environment) == ["A=out/1", "B=out", "C=${A} $A", "N=noneout/1"])
    #expect(environment(manifest.initializers[0].command?.environment) == ["A=out/1/f", "D=x", "F=f"])
    #expect(manifest.initializers[0].command?.directory == "x/out/1/f")
    #expect(manifest.initializers[0].command?.arguments == shell("echo ${A}"))
    #expect(manifest.initializers[1].command?.arguments == ["echo", "out/1"])
    #expect(manifest.initializers[1].command?.directory == "./out")
    #expect(
      manifest.warnings.map(\.asWarning) == [
        "init.yaml:3:43: warning: environment C: \"$A\" is passed on literally; write ${A} for the value of the variable"
      ])
  }

  @Test("Mistakes in references and environment files are reported where they are written")
  func wrong() {
    #expect(
      mistakes(
        "a",
        texts: [
          "a": """
          version: 1
          environmentFile: .env
          environment: { A: "${N}" }
          initializers:
            a: { command: x, environmentFile: [e, [], "", f], workingDirectory: "${E" }
            b: { worker: true, environmentFile: [e] }
            c: { command: x, environmentFile: [e] }
          """,
          "e": "A\n",
        ]) == """
          a:2:18: "environmentFile" is text, not a list; write environmentFile: [.env]
          a:3:19: the variable "N" is not set; set it in the environment of initd, or write a default: ${N:-default}
          a:5:41: an element of "environmentFile" is a list, not a path; write environmentFile: [.env]
          a:5:45: an element of "environmentFile" is empty; write environmentFile: [.env]
          a:5:49: cannot read f: no such file; create the file, or remove it from environmentFile
          a:5:71: no } follows ${E; write ${NAME}, ${NAME:-default}, or $${ for the text ${
          a:6:22: "environmentFile" is only for commands, but initializer "b" is run by a worker; remove it
          e:1:1: this line is not a variable; write NAME=value, or # before a comment
          """)
  }

  @Test(
    "What has profiles is part of the manifest only if one of them is selected, but its mistakes are always reported")
  func profiles() throws {
    let text = """
      version: 1
      initializers:
        a: { command: x }
        seed: { command: x, profiles: [dev, test], dependencies: [a], environment: { A: "${N}" }, environmentFile: [none] }
        more: { command: x, profiles: [test], dependencies: [a] }
      workers: { w: { command: x, profiles: [test] } }
      """
    let none = try compose(["a"], texts: ["a": text])
    #expect(none.initializers.map(\.declaration.name) == ["a"])
    #expect(none.workers.isEmpty)
    #expect(none.profiles == ["dev", "test"])
    let dev = try compose(["a"], texts: ["a": text, "none": ""], variables: ["N": ""], profiles: ["dev"])
    #expect(dev.initializers.map(\.declaration.name) == ["a", "seed"])
    let test = try compose(["a"], texts: ["a": text, "none": ""], variables: ["N": ""], profiles: ["test", "dev"])
    #expect(test.initializers.map(\.declaration.name) == ["a", "seed", "more"])
    #expect(test.workers.map(\.name) == ["w"])
    #expect(mistakes("a", texts: ["a": text], profiles: ["tset"]) == "unknown profile tset; did you mean \"test\"?")
    #expect(mistakes("a", texts: ["a": text], profiles: ["prod"]) == "unknown profile prod; use one of dev or test")
    #expect(mistakes("a", texts: ["a": "version: 1\n"], profiles: ["x"]) == "unknown profile x; nothing has profiles")
  }

  @Test("A wrong profile, and a dependency that isn't selected, are mistakes")
  func wrongProfiles() {
    #expect(
      mistakes(
        in: """
          version: 1
          initializers:
            a: { command: x, dependencies: [b, c] }
            b: { command: x, profiles: [dev], timeout: soon, dependencies: [c] }
            c: { command: x, profiles: [] }
            d: { command: x, profiles: dev }
            e: { command: x, profiles: [a b, [], dev, dev] }
          """) == """
          init.yaml:3:35: the dependency "b" is only in the profile dev; select it with --profile dev, or remove it here
          init.yaml:4:46: "timeout": "soon" is not a duration; write e.g. 500ms, 30s, 2m or 1h, or a number of seconds
          init.yaml:6:30: "profiles" is text, not a list; write profiles: [dev]
          init.yaml:7:31: "a b" cannot be the name of a profile; it must be 1 to 128 characters (ASCII letters, digits and . _ : / @ + -) and start with a letter or digit
          init.yaml:7:36: a profile is a list, not a name; write profiles: [dev]
          init.yaml:7:45: the profile "dev" is already on line 7; remove it
          """)
  }
}
