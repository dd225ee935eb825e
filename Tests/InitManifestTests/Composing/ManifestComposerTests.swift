import InitCore
import InitDeclarations
import InitWords
import Testing

@testable import InitManifest

@Suite struct ManifestComposerTests {
  @Test("Files are merged: mappings by key, anything else is replaced, and further names follow")
  func merged() throws {
    let manifest = try compose(
      ["base.yaml", "prod.yaml"],
      texts: [
        "base.yaml": """
        version: 1
        concurrency: 2
        environment: { A: a, B: b }
        initializers:
          one: { command: [x, y], timeout: 1s, retry: { attempts: 2, delay: 5s } }
          two: { command: z, dependencies: [one] }
        """,
        "prod.yaml": """
        concurrency: 8
        environment: { B: c, C: d }
        initializers:
          three: { command: t }
          two: { dependencies: [three] }
          one: { command: [q], retry: { attempts: 9 } }
        """,
      ])
    #expect(manifest.file == "base.yaml")
    #expect(manifest.paths == ["base.yaml", "prod.yaml"])
    #expect(manifest.settings.machine.concurrency == 8)
    #expect(manifest.settings.environment == ["A": "a", "B": "c", "C": "d"])
    #expect(manifest.initializers.map(\.declaration.name) == ["one", "two", "three"])
    #expect(manifest.initializers[0].command?.arguments == ["q"])
    #expect(manifest.initializers[0].declaration.timeout == .seconds(1))
    #expect(manifest.initializers[0].declaration.retry.attempts == 9)
    #expect(manifest.initializers[0].declaration.retry.delay == .seconds(5))
    #expect(manifest.initializers[1].declaration.dependencies == ["three"])
  }

  @Test("A key without a value removes what is below it, and a later file may have it again")
  func removed() throws {
    let texts = [
      "a": "version: 1\nconcurrency: 3\nenvironment: { A: a, B: b }\n"
        + "initializers: { one: { command: x }, two: { command: y, timeout: 1s, worker: true } }",
      "b": "concurrency: ~\nenvironment: { A: null, C: null }\ninitializers: { one: null, two: { command: } }",
      "c": "initializers: { one: { command: z } }",
    ]
    let two = try #require(try? compose(["a", "b"], texts: texts))
    #expect(two.settings.machine.concurrency == 1)
    #expect(Set(two.settings.environment.keys) == ["B"])
    #expect(two.initializers.map(\.declaration.name) == ["two"])
    #expect(two.initializers[0].kind == .worker)
    let three = try compose(["a", "b", "c"], texts: texts)
    #expect(three.initializers.map { $0.command?.arguments } == [shell("z"), nil])
  }

  @Test("What is removed but isn't there is a mistake, because the name may be wrong")
  func removedNothing() {
    #expect(
      mistakes(
        "a", "b",
        texts: ["a": "version: 1\ninitializers: { one: { command: x } }", "b": "initializers:\n  on: null\n"])
        == "b:2:7: initializer \"on\" has no value; write { command: [PROGRAM, ARGUMENT] }, or remove it")
  }

  @Test("Each mistake is reported in the file that has it, in the order of the files")
  func positions() {
    #expect(
      mistakes(
        "conf/base.yaml", "prod.yaml",
        texts: [
          "conf/base.yaml": "version: 1\nconcurrency: no\ninitializers:\n  one: { command: x, timeout: 1s }\n",
          "prod.yaml":
            "initializers:\n  one: { timeout: soon, comand: y }\n  two: { command: z, dependencies: [oen] }\n",
        ]) == """
          conf/base.yaml:2:14: "concurrency" is not a whole number: "no"; write a whole number from 1, e.g. concurrency: 4
          prod.yaml:2:19: "timeout": "soon" is not a duration; write e.g. 500ms, 30s, 2m or 1h, or a number of seconds
          prod.yaml:2:25: unknown key "comand" in initializer "one"; did you mean "command"?
          prod.yaml:3:37: unknown dependency "oen"; did you mean "one"?
          """)
  }

  @Test("A name that a file has twice is reported, even if another file has it too")
  func duplicates() {
    #expect(
      mistakes(
        "a", "b",
        texts: [
          "a": "version: 1\ninitializers:\n  one: { command: x }\n",
          "b": "\ninitializers:\n  one: { command: y }\n  one: { command: z }\n",
        ]) == "b:4:3: the initializer \"one\" is already on line 3 of a; remove or rename one of them")
  }

  @Test("A file that can't be read, and one that isn't YAML, are reported; the others are read nevertheless")
  func unreadable() {
    let texts = ["a": "version: 1\nconcurrency: [", "b": "x: \"", "c": "version: 1\n"]
    #expect(mistakes("c", "d", texts: texts) == "cannot read d: no such file")
    #expect(
      mistakes("a", "b", texts: texts) == """
        a:2:14: "concurrency" is a list, not a whole number; write concurrency: 4
        a:2:15: this is not YAML: did not find expected node content while parsing a flow node; \
        write the value, and close what is open
        b:1:4: this is not YAML: found unexpected end of stream while scanning a quoted scalar; close the quote
        """)
  }

  @Test("An included file is below the file that includes it; paths start at the file that has them")
  func included() throws {
    let manifest = try compose(
      ["conf/init.yaml"],
      texts: [
        "conf/init.yaml": """
        version: 1
        include: [../common/a.yaml, ../common/b.yaml]
        initializers:
          one: { timeout: 2s }
          two: { workingDirectory: ./two }
          own: { command: [./own] }
        """,
        "conf/../common/a.yaml": """
        include: [more/c.yaml]
        initializers:
          one: { command: [./one, ./x], timeout: 1s, stop: [./stop] }
          two: { command: [two], workingDirectory: here }
        """,
        "conf/../common/b.yaml": "concurrency: 7\ninitializers: { two: { command: ./two } }\n",
        "conf/../common/more/c.yaml": "concurrency: 6\nworkers: { w: { command: [./w], workingDirectory: ./d } }\n",
      ])
    #expect(manifest.settings.machine.concurrency == 7)
    let commands = manifest.initializers.map(\.command)
    #expect(manifest.initializers.map(\.declaration.name) == ["one", "two", "own"])
    #expect(commands[0]?.arguments == ["/etc/conf/../common/./one", "./x"])
    #expect(commands[0]?.stop == ["/etc/conf/../common/./stop"])
    #expect(commands[0]?.directory == "/etc/conf/../common")
    #expect(manifest.initializers[0].declaration.timeout == .seconds(2))
    #expect(commands[1]?.arguments == shell("./two"))
    #expect(commands[1]?.directory == "./two")
    #expect(commands[2]?.arguments == ["./own"])
    #expect(commands[2]?.directory == nil)
    #expect(manifest.workers[0].command.arguments == ["/etc/conf/../common/more/./w"])
    #expect(manifest.workers[0].command.directory == "/etc/conf/../common/more/./d")
  }

  @Test("A cycle of includes, a missing file, and a value that isn't a list of files are reported at the include")
  func wrongIncludes() {
    #expect(
      mistakes(
        "a.yaml", texts: ["a.yaml": "version: 1\ninclude: [b.yaml]\n", "b.yaml": "include:\n  - a.yaml\n  - c.yaml\n"])
          == """
          b.yaml:2:5: circular include a.yaml -> b.yaml -> a.yaml; remove one of these includes
          b.yaml:3:5: cannot read c.yaml: no such file; create the file, or remove it from include
          """)
    #expect(
      mistakes("a", texts: ["a": "version: 1\ninclude: b\n"])
        == "a:2:10: \"include\" is text, not a list; write include: [b]")
    #expect(
      mistakes("a", texts: ["a": "version: 1\ninclude: [[], ' ']\n"]) == """
        a:2:11: an element of "include" is a list, not a path; write include: [common.yaml]
        a:2:15: an element of "include" is empty; write include: [common.yaml]
        """)
    #expect(
      mistakes("a", texts: ["a": "version: 1\ninclude:\n"])
        == "a:2:9: \"include\" has no value; write include: [common.yaml], or remove it")
  }

  @Test("Includes are bounded: in depth, in their number, and in bytes")
  func bounds() {
    let chain = Dictionary(uniqueKeysWithValues: (0..<20).map { ("\($0)", "version: 1\ninclude: ['\($0 + 1)']\n") })
    #expect(
      mistakes("0", texts: chain)
        == "8:2:11: more than 8 files include each other in a row; include fewer levels of files")
    let wide = Dictionary(
      uniqueKeysWithValues: (0..<8).map { ("\($0)", "version: 1\ninclude: ['\($0 + 1)', '\($0 + 1)', '\($0 + 1)']\n") })
    #expect(
      mistakes("0", texts: wide.merging(["8": "version: 1"]) { $1 }).split(separator: "\n").first?.hasSuffix(
        "more than 200 files are named; put them together in fewer files") == true)
    let long = "version: 1\n#" + String(repeating: "x", count: 1 << 19)
    let names = (0..<8).map { "'\($0)'" }.joined(separator: ", ")
    let large = Dictionary(uniqueKeysWithValues: (0..<8).map { ("\($0)", long) })
    #expect(
      mistakes("a", texts: large.merging(["a": "version: 1\ninclude: [\(names)]\n"]) { $1 })
        == "a:2:46: all files are larger than 4 MiB together; name fewer or shorter ones")
  }

  @Test("Defaults are the values that an initializer doesn't have; a key without a value has none")
  func defaults() throws {
    let manifest = try compose(
      ["base", "prod"],
      texts: [
        "base": """
        version: 1
        defaults: { timeout: 1m, retry: { attempts: 3, delay: 2s }, workingDirectory: ./d }
        initializers:
          a: { command: x }
          b: { command: x, timeout: 5s, retry: { attempts: 5 }, workingDirectory: ./e }
          c: { worker: true, timeout: null, retry: }
          d: { command: x, timeout: 1s }
        workers: { w: { command: x } }
        """,
        "prod": "defaults: { optional: true, timeout: 2m }\ninitializers: { d: { timeout: null } }\n",
      ])
    #expect(manifest.initializers.map(\.declaration.timeout) == [.seconds(120), .seconds(5), nil, nil])
    #expect(manifest.initializers.map(\.declaration.retry.attempts) == [3, 5, 1, 3])
    #expect(
      manifest.initializers.map(\.declaration.retry.delay) == [.seconds(2), .seconds(2), .seconds(1), .seconds(2)])
    #expect(manifest.initializers.map(\.declaration.isOptional) == [true, true, true, true])
    #expect(manifest.initializers.map { $0.command?.directory } == ["./d", "./e", nil, "./d"])
    #expect(manifest.workers[0].command.directory == nil)
  }

  @Test("A mistake in defaults is reported once, even if no initializer has the default")
  func wrongDefaults() {
    let expected = """
      init.yaml:2:22: "timeout": "soon" is not a duration; write e.g. 500ms, 30s, 2m or 1h, or a number of seconds
      init.yaml:2:28: unknown key "command" in "defaults"; write one of timeout, retry, optional, workingDirectory, user, limits or nice
      init.yaml:2:59: "attempts" is too small: "0"; write a whole number from 1, e.g. attempts: 3
      """
    let head = "version: 1\ndefaults: { timeout: soon, command: x, retry: { attempts: 0 } }\n"
    let nobody = mistakes(in: head)
    #expect(nobody == mistakes(in: head + "initializers: { a: { command: x }, b: { command: y } }\n"))
    #expect(nobody == expected)
    #expect(
      mistakes(in: "version: 1\ndefaults: [timeout]\n")
        == "init.yaml:2:11: \"defaults\" is a list, not a mapping; write defaults: { timeout: 1m }")
  }
}
