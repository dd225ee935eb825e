internal import ArgumentParser
internal import Foundation
internal import Glibc
internal import Hummingbird
internal import HummingbirdCore
internal import InitClient
internal import Logging
internal import NIOCore
internal import Passes
internal import ServiceLifecycle
internal import Traces
internal import UnixSignals
internal import WebStatus

/// `initweb serve`: the server.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve over HTTP.",
    discussion: """
      Paths:
        /               the start, live: what it waits for, bars, graph, critical path
        /splash?to=/    for an app's front end: waits until it is ready, then goes to that path
        /history        the last passes, or all that --history keeps
        /livez          200 if the supervisor answers
        /startupz       200 once launch is complete
        /readyz         200 while the app is ready, as initctl wait ready
        /metrics        metrics in Prometheus' text format
        /api/v1/status, /api/v1/events, /api/v1/why/NAME, /api/v1/history; /api/v1/openapi.json describes them
      A probe that doesn't pass is answered with 503 and a JSON object that says what it waits for.

      Pages and the API are answered only if the request addresses localhost, an IP address, or a name given with \
      --allow-host. Otherwise a page of another site could read them.
      """)

  @Option(
    help: ArgumentHelp(
      "The supervisor's socket; one of --observe-socket suffices. Default: the same as for initctl.",
      valueName: "path"), completion: .file())
  var socket: String?
  @Option(
    help: ArgumentHelp("The address to listen at: HOST:PORT, [IPV6]:PORT, or unix:PATH.", valueName: "address"),
    transform: ListenAddress.init)
  var listen = ListenAddress.standard

  @Option(
    help: ArgumentHelp(
      "Answer probes and requests for metrics at this address too. It has connections of its own, so no reader of pages can use them up.",
      valueName: "address"), transform: ListenAddress.init)
  var probeListen: ListenAddress?

  @Option(
    help: ArgumentHelp(
      "Send traces of passes to the OpenTelemetry collector at this base address, e.g. http://127.0.0.1:4318.",
      valueName: "url"), transform: { try Self.checked($0) })
  var otlp: String?

  @Option(
    help: ArgumentHelp(
      "Also answer requests for pages and the API that are addressed to this host name, e.g. of a reverse proxy.",
      valueName: "name"))
  var allowHost: [String] = []
  @Option(
    help: ArgumentHelp(
      "Let clients that send the token in this file activate, deactivate, launch and rerun. Without it, nothing can be changed.",
      valueName: "path"), completion: .file())
  var controlTokenFile: String?
  @Option(
    help: ArgumentHelp(
      "The socket for --control-token-file; initweb needs the role control there. Default: --socket.",
      valueName: "path"), completion: .file())
  var controlSocket: String?
  @Option(
    help: ArgumentHelp(
      "The maximum number of connections. A further one takes the place of an idle one. Default: 1024.", valueName: "n")
  )
  var connections = Limits.connections

  @OptionGroup var keep: KeepOptions

  func validate() throws {
    guard (16...65_536).contains(connections) else {
      throw ValidationError("--connections must be 16 to 65536")
    }
    guard controlTokenFile != nil || controlSocket == nil else {
      throw ValidationError("--control-socket has no effect without --control-token-file")
    }
  }

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    LoggingSystem.bootstrap(StreamLogHandler.standardError)
    var logger = Logger(label: "initweb")
    logger.logLevel = .info
    // Silences Hummingbird's own lines; the lines of initweb say the same.
    var quiet = logger
    quiet.logLevel = .warning

    let control = try controlTokenFile.map { path in
      Control(token: try Self.token(in: path), socket: controlSocket ?? socket)
    }
    Limits.raiseDescriptors(for: connections)
    let board = Board()
    let recent = RecentPasses()
    // The others are for probes and metrics.
    let hub = EventHub(board: board, readerLimit: connections - max(8, connections / 16))
    let history = keep.history(logger: logger)
    let site = Site(
      board: board, hub: hub, explainer: Explainer(socket: socket), recent: recent, access: Access(hosts: allowHost),
      control: control, history: history)
    let exporter = try otlp.map { TraceExporter(try Self.settings($0), logger: logger) }
    let began = Date().timeIntervalSince1970
    let feeder = PassFeeder(
      logger: logger,
      consumers: [
        { passes in history?.take(passes) },
        { passes in exporter?.add(passes) },
        { passes in board.with { $0.count(passes, since: began) } },
        { passes in
          recent.take(passes)
          for each in passes { hub.publish("history", PassNews(each)) }
        },
      ])
    let follower = Follower(socket: socket, board: board, hub: hub, feeder: feeder, logger: logger)
    let pages = Pages(
      board: board,
      metrics: MetricsText(board: board, hub: hub, feeder: feeder, exporter: exporter, history: history), site: site)
    let server = WebServer.make(at: listen, connections: connections, answering: pages, logger: quiet) {
      [logger, listen] port in logger.info("listening at \(listen.words(port: port))")
    }
    let probeServer = probeListen.map { address in
      WebServer.make(at: address, connections: Limits.probeConnections, answering: pages.onlyProbes, logger: quiet) {
        [logger] port in logger.info("answering probes at \(address.words(port: port))")
      }
    }
    // The services end in the opposite order.
    let services: [(any Service)?] = [history, exporter, follower, probeServer, server, hub]
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: services.compactMap(\.self).map { .init(service: $0) },
        gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet))
    do {
      try await group.run()
    } catch let error as IOError {
      let addresses = [listen, probeListen].compactMap(\.self).map(\.description).joined(separator: " or ")
      let options = probeListen == nil ? "--listen" : "--listen or --probe-listen"
      logger.critical("cannot listen at \(addresses): \(error); choose another address with \(options)")
      throw ExitCode.failure
    }
  }

  /// Reads the token for control: the first line of the file.
  private static func token(in path: String) throws -> String {
    let text: String
    do { text = try String(contentsOfFile: path, encoding: .utf8) } catch {
      throw ValidationError("cannot read the token in \(path): \(error.localizedDescription)")
    }
    let token = text.prefix { !$0.isNewline }
    guard (16...1024).contains(token.utf8.count), token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw ValidationError(
        "the token in \(path) must be one line of 16 to 1024 visible characters, e.g. from: openssl rand -hex 32")
    }
    return String(token)
  }

  /// Checks an address of a collector.
  private static func checked(_ address: String) throws -> String {
    do { _ = try CollectorSettings.url(address) } catch { throw ValidationError("\(error)") }
    return address
  }

  private static func settings(_ address: String) throws -> CollectorSettings {
    do {
      return try CollectorSettings(
        address: address, environment: ProcessInfo.processInfo.environment, host: ProcessInfo.processInfo.hostName)
    } catch { throw ValidationError("\(error)") }
  }
}

/// Bounds the resources that a client of this server can use.
enum Limits {
  /// The maximum number of connections at a time.
  static let connections = 1024
  /// The maximum number of connections at the address of `--probe-listen`.
  static let probeConnections = 64

  /// Lets this process have as many descriptors as these connections need, if the system allows it.
  static func raiseDescriptors(for connections: Int) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    let wanted = min(limit.rlim_max, rlim_t(connections + probeConnections + 384))
    guard limit.rlim_cur < wanted else { return }
    limit.rlim_cur = wanted
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
