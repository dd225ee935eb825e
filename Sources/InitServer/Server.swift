package import Platform

/// The server for clients: its sockets, and the connections at them (protocol §1, §2, §5, §8).
///
/// What a client may send, and what it is answered, the ``ServerDelegate`` decides.
package final class Server {
  /// Called when a connection is closed.
  package var onClose: () -> Void {
    get { connections.onClose }
    set { connections.onClose = newValue }
  }

  let connections: Connections
  private let sockets: Sockets
  private let heap: HeapTrimmer

  /// Creates a server that doesn't listen yet.
  package init(_ context: ServerContext, delegate: any ServerDelegate) {
    heap = HeapTrimmer(context)
    connections = Connections(context, line: TurnLine(context, delegate: delegate), heap: heap, delegate: delegate)
    sockets = Sockets(context, connections: connections)
  }

  /// Whether no client is connected.
  package var isEmpty: Bool { connections.isEmpty }

  /// Creates the sockets.
  ///
  /// - Parameter onLock: called with the lock of the main socket, which nobody else may have while a process of this supervisor runs.
  /// - Throws: an error that says why a socket can't be created; then the caller must call ``close()``.
  package func open(onLock: @escaping (Descriptor) -> Void) throws(ListenerError) { try sockets.open(onLock: onLock) }

  /// Computes the limit of connections, and warns if it is low; connections beyond it stay.
  ///
  /// - Parameter descriptors: how many descriptors something else than clients may need at once.
  package func limitConnections(leaving descriptors: Int) { connections.limit(leaving: descriptors) }

  /// Frees memory soon, because a pass has ended.
  package func passEnded() { heap.passEnded() }

  /// Accepts no more connections.
  package func stopAccepting() { sockets.stopAccepting() }

  /// Tells all clients that the supervisor has ended, and closes their connections.
  package func end() { connections.end() }

  /// Removes the sockets: another supervisor may start from now on.
  package func close() {
    heap.close()
    sockets.close()
  }
}
