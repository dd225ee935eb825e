import InitDeclarations
import InitManifest
import InitModel
import InitWire
import InitWords
import Testing

@Suite struct ReportTests {
  @Test("The report of the documented manifest lists the initializers in order of execution")
  func contract() throws {
    #expect(
      try Manifest.parse(contractExample, file: "init.yaml").checkReport() == """
        init.yaml is good: 3 initializers, 1 at a time
        launch:
          migrate          command  timeout: 2m  retry: { attempts: 3, delay: 1s, factor: 2, maxDelay: 30s }  optional: false
            ["./migrate","--all"]
          feature-toggles  shell command  after migrate
            ["/bin/sh","-c","curl -fsS http://localhost:9000/toggles -o toggles.json"]
        active:
          favorites        worker  after feature-toggles
        processes:
          shelf  restart: onFailure
            ["python3","shelf_worker.py"]

        """)
  }

  @Test("A note says that PostgreSQL accepts connections before it answers")
  func noteOfPostgres() throws {
    func notes(_ process: String) throws -> [String] {
      let report = try Manifest.parse("version: 1\nworkers: { db: { \(process) } }", file: "init.yaml").checkReport()
      return report.split(separator: "\n").filter { $0.hasPrefix("note: ") }.map(String.init)
    }
    let tcp = "ready: { tcp: \"localhost:5432\" }"
    let note = [
      "note: db is ready as soon as PostgreSQL accepts connections, even while it recovers; "
        + "ready: { command: [pg_isready, -q] } waits until it answers"
    ]
    for command in ["[postgres, -D, data]", "[/usr/lib/postgresql/15/bin/postgres, -D, data]", "exec postgres -D data"]
    {
      #expect(try notes("command: \(command), \(tcp)") == note)
      #expect(try notes("command: \(command), ready: { command: [pg_isready, -q] }") == [])
      #expect(try notes("command: \(command)") == [])
    }
    #expect(try notes("command: [redis-server], \(tcp)") == [])
  }

  @Test("S3, S6: launch runs the dependencies of its initializers before them, regardless of their priority")
  func launch() throws {
    let manifest = try Manifest.parse(
      """
      version: 1
      concurrency: 3
      initializers:
        last: { worker: true, dependencies: [session, first], secret: true, once: fleet }
        first: { worker: true }
        prices: { worker: true, priority: appActive, dependencies: [session, first], perProcess: true }
        session: { command: x, priority: appActive, retry: { factor: 1.5 }, description: "a\\e[2Jb" }
      """, file: "shop\n.yaml")
    #expect(
      manifest.checkReport() == """
        shop\\n.yaml is good: 4 initializers, 3 at a time
        launch:
          session  shell command  retry: { attempts: 1, delay: 1s, factor: 1.5, maxDelay: 30s }  # a\\u{1B}[2Jb
            ["/bin/sh","-c","x"]
          first    worker
          last     worker  after session, first  secret: true  once: fleet
        active:
          session  shell command  retry: { attempts: 1, delay: 1s, factor: 1.5, maxDelay: 30s }  # a\\u{1B}[2Jb
            ["/bin/sh","-c","x"]
          prices   worker  after session, first  perProcess: true

        """)
  }

  @Test("The report shows what will run, and names all files")
  func several() throws {
    let manifest = try compose(
      ["a", "b", "c"],
      texts: [
        "a": "version: 1\ninitializers: { x: { command: [./x, \"a\\e b\"] } }\n", "b": "concurrency: 2\n", "c": "{}\n",
      ])
    #expect(
      manifest.checkReport { ["/run/" + $0.arguments[0]] + $0.arguments.dropFirst() } == """
        a, b and c are good: 1 initializer, 2 at a time
        launch:
          x  command
            ["/run/./x","a\\u001b b"]
        active: nothing

        """)
  }

  @Test("The report of an empty manifest says that it declares nothing")
  func nothing() throws {
    #expect(
      try Manifest.parse("version: 1\n", file: "init.yaml").checkReport() == """
        init.yaml is good: 0 initializers, 1 at a time
        launch: nothing
        active: nothing

        """)
  }

  @Test("For programs, the report has the graph and both orders")
  func shape() throws {
    let shape = try Manifest.parse(contractExample, file: "init.yaml").shape
    #expect(shape.plan == PlannedPasses(launch: ["migrate", "feature-toggles"], active: ["favorites"]))
    #expect(shape.graph.nodes.map(\.name) == ["migrate", "feature-toggles", "favorites"])
    #expect(shape.graph.nodes.map(\.provider) == [.known(.command), .known(.command), .known(.worker)])
    #expect(shape.graph.nodes.map(\.priority) == [.known(.appLaunch), .known(.appLaunch), .known(.appActive)])
    #expect(shape.graph.nodes.allSatisfy { $0.status?.known == .idle })
    #expect(
      shape.graph.edges.map { [$0.from, $0.to] } == [
        ["feature-toggles", "migrate"], ["favorites", "feature-toggles"],
      ])
    #expect(shape.concurrency == 1)
  }
}
