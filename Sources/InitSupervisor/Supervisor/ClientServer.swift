internal import EventLoop
internal import InitCore
internal import InitDeclarations
internal import InitModel
internal import InitRecords
internal import InitRunner
internal import InitServer
internal import InitWire
internal import InitWords
internal import Platform

/// What clients get: the server, the handling of requests, waits, and reloads.
final class ClientServer {
  let shared: SupervisorContext
  let server: Server
  let requests: Requests
  let waits: Waits
  let reloads: Reloads
  /// Watches the inputs; nil if they aren't watched.
  private let watch: InputWatch?
  private let processes: Processes

  init(
    _ shared: SupervisorContext, _ context: ServerContext, declared: RecordedDeclarations, broadcast: Broadcast,
    records: Records,
    execution: Execution,
    status: StatusSource, owners: ProviderOwners
  ) {
    self.shared = shared
    processes = execution.processes
    let holds = LeasedHolds(shared)
    let answers = AnswerEncoder(shared, broadcast: broadcast, records: records, status: status)
    waits = Waits(shared, processes: processes, answers: answers)
    requests = Requests(
      shared, broadcast: broadcast, waits: waits, answers: answers, holds: holds, execution: execution,
      records: records)
    server = Server(context, delegate: requests)
    reloads = Reloads(shared, recorded: declared, records: records, execution: execution, holds: holds, owners: owners)
    watch =
      shared.configuration.watchesInputs
      ? InputWatch(shared, reloads: reloads, processes: execution.processes) : nil
    reloads.onDescriptorsChange = { [weak self] in self?.limitConnections() }
    requests.onRetry = { [weak reloads] then in reloads?.lookAgain(then: then) }
    requests.onReload = { [weak reloads] in reloads?.reload($0, of: $1, because: $2, then: $3) }
  }

  /// Creates the sockets; from then on nothing that was started outlives this process.
  ///
  /// - Throws: an error that says why a socket can't be created; then no socket is left.
  func open() throws(ListenerError) {
    if shared.configuration.passedSocket != nil { processes.guardChildren(lock: nil) }
    do throws(ListenerError) {
      try server.open { [processes] in processes.guardChildren(lock: $0) }
    } catch {
      closeSockets()
      throw error
    }
  }

  /// Watches the inputs, if the configuration says so.
  ///
  /// - Throws: why they can't be watched.
  func beginWatch() throws(WatchFault) { try watch?.begin() }

  /// Bounds the connections, so commands and processes have the descriptors that they need.
  func limitConnections() {
    // A run uses a pidfd, both ends of two pipes, and a notification socket; the resources of one further run are prepared. The
    // concurrency doesn't limit what waits (S6): a try uses a socket, and the command of a check uses as much as a run.
    let configuration = shared.configuration
    let checks = configuration.initializers.count { $0.kind == .waitFor || $0.isProcess }
    let forRuns =
      8 * (min(configuration.machine.concurrency, 64) + min(checks, 64) + 2) + 6 * (configuration.workers.count + 1)
    server.limitConnections(leaving: forRuns)
  }

  /// Answers the waits for a pass that has ended.
  func passEnded(_ pass: PassID, _ state: Status.State) {
    waits.answer(pass: pass, state)
    server.passEnded()
  }

  /// Accepts no more connections, answers the waits that are settled, and notifies all clients that the supervisor has ended.
  func end() {
    server.stopAccepting()
    waits.settleAll()
    server.end()
  }

  /// Stops the timers of the waits.
  ///
  /// The sockets are closed separately, because another supervisor may start as soon as they are free.
  func close() {
    watch?.close()
    waits.close()
  }

  /// Closes the guard, which holds the lock of the socket, and removes the sockets.
  func closeSockets() {
    processes.endGuard()
    server.close()
  }
}
