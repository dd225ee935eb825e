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
        /livez     200 if the supervisor answers
        /startupz  200 once launch is complete
        /readyz    200 while both phases are complete and the app is active
        /metrics   metrics in Prometheus' text format
      A probe that doesn't pass is answered with 503 and a JSON object that says what it waits for.
      """)

  @Option(
    help: ArgumentHelp(
      "The supervisor's socket; one of --observe-socket suffices. Default: the same as for initctl.",
      valueName: "path"), completion: .file())
  var socket: String?
  @Option(
    help: ArgumentHelp("Where to listen: HOST:PORT, [IPV6]:PORT, or unix:PATH.", valueName: "address"),
    transform: ListenAddress.init)
  var listen = ListenAddress.standard

  @Option(
    help: ArgumentHelp(
      "Send traces of passes to the OpenTelemetry collector at this base address, e.g. http://127.0.0.1:4318.",
      valueName: "url"), transform: { try Self.checked($0) })
  var otlp: String?

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    LoggingSystem.bootstrap(StreamLogHandler.standardError)
    var logger = Logger(label: "initweb")
    logger.logLevel = .info
    // Hummingbird's own lines; those of initweb say the same.
    var quiet = logger
    quiet.logLevel = .warning

    let board = Board()
    let exporter = try otlp.map { TraceExporter(try Self.settings($0), logger: logger) }
    let began = Date().timeIntervalSince1970
    let feeder = PassFeeder(
      logger: logger,
      consumers: [
        { passes in exporter?.add(passes) },
        { passes in board.with { $0.count(passes, since: began) } },
      ])
    let follower = Follower(socket: socket, board: board, feeder: feeder, logger: logger)
    let address = listen
    let application = Application(
      responder: Pages(board: board, feeder: feeder, exporter: exporter),
      server: .http1(configuration: Limits.http),
      configuration: ApplicationConfiguration(
        address: address.bind,
        availableConnectionsDelegate: MaximumAvailableConnections(Limits.connections, logger: quiet)),
      onServerRunning: { [logger] channel in
        logger.info("listening at \(address.words(port: channel.localAddress?.port))")
      },
      logger: quiet)
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        // They end in the opposite order.
        services: (exporter.map { [.init(service: $0)] } ?? []) + [
          .init(service: follower), .init(service: application),
        ], gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet))
    do {
      try await group.run()
    } catch let error as IOError {
      logger.critical("cannot listen at \(address.words(port: nil)): \(error); choose another address with --listen")
      throw ExitCode.failure
    }
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

/// Bounds of what a client of this server can use.
enum Limits {
  /// The connections at a time; further ones wait until one is closed.
  static let connections = 512
  /// Headers, and how long a connection may be idle.
  static let http = HTTP1Channel.Configuration(
    idleTimeout: .seconds(30),
    httpDecoderConfiguration: .init(
      maxHeaderFieldSize: 8 * 1024, maxHeaderListSize: 16 * 1024, maxHeaderFieldCount: 100))
}
