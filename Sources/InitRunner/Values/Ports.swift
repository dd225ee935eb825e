internal import AppInitializers
package import InitDeclarations
internal import InitProcesses
internal import InitText
internal import InitWords
internal import Platform

/// Why a port can't be chosen (S36).
public struct PortFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, and what to do.
  public let description: String
}

/// The ports of the manifest: each is chosen once, and kept for the life of the supervisor (S36).
///
/// A lock file for each port in the user's runtime directory prevents that two supervisors choose the same one before anybody listens at it.
package final class Ports {
  fileprivate struct Port {
    let declared: DeclaredPort
    let number: Int
    /// Held while the port is ours; `nil` for a given number that another supervisor has, too.
    let lock: SocketLock?
  }

  /// Ports that are chosen, but not used before they are adopted.
  package struct Choice {
    fileprivate let ports: [String: Port]

    /// The numbers, by name.
    package var numbers: [String: Int] { ports.mapValues(\.number) }
  }

  private var ports: [String: Port] = [:]

  package init() {}

  /// The numbers, by name.
  package var numbers: [String: Int] { ports.mapValues(\.number) }

  /// Chooses ports for new and changed entries; the others stay.
  ///
  /// `earlier` are the numbers of an earlier supervisor, which are preferred.
  ///
  /// - Throws: why there is no port for an entry.
  package func choose(
    _ declared: [String: DeclaredPort], earlier: [String: Int] = [:]
  ) throws(PortFault) -> Choice {
    guard !declared.isEmpty else { return Choice(ports: [:]) }
    let directory: String
    do throws(SystemError) {
      directory = try UserRuntimeDirectory.path(ProcessEnvironment.variables())
    } catch {
      throw PortFault(description: "cannot choose ports: \(error); it must be a directory that only you can use")
    }
    var chosen = ports.filter { declared[$0.key] == $0.value.declared }
    // A given number leaves no choice, so it comes first.
    let open = declared.filter { chosen[$0.key] == nil }.sorted {
      ($0.value.isGiven ? 0 : 1, $0.key) < ($1.value.isGiven ? 0 : 1, $1.key)
    }
    for (name, port) in open {
      let taken = Set(chosen.values.map(\.number))
      chosen[name] = try choose(port, for: name, earlier: earlier[name], except: taken, locksIn: directory)
    }
    return Choice(ports: chosen)
  }

  /// Gives all ports up, because nothing uses them any more.
  package func release() { ports = [:] }

  /// Uses chosen ports from now on; those that aren't declared any more are given up.
  package func adopt(_ choice: Choice) { ports = choice.ports }

  private func choose(
    _ declared: DeclaredPort, for name: String, earlier: Int?, except taken: Set<Int>, locksIn directory: String
  ) throws(PortFault) -> Port {
    func lock(_ number: Int) -> SocketLock? { try? SocketLock(socketPath: "\(directory)/port-\(number)") }
    func port(_ number: Int) -> Port? {
      guard !taken.contains(number), let lock = lock(number), PortProbe.verdict(on: number) == .free else { return nil }
      return Port(declared: declared, number: number, lock: lock)
    }
    switch declared {
    case .number(let number): return Port(declared: declared, number: number, lock: lock(number))
    case .from(let first):
      let last = min(first + DeclaredPort.tried - 1, Int(UInt16.max))
      if let earlier, first...last ~= earlier, let port = port(earlier) { return port }
      for number in first...last { if let port = port(number) { return port } }
      let isForbidden = PortProbe.verdict(on: first) == .forbidden
      throw PortFault(
        description: "cannot choose a port for \(name): none of \(first) to \(last) is free; "
          + (isForbidden
            ? "only root may use ports below 1024: write a larger one" : "write another number, or \(name): auto"))
    case .any:
      if let earlier, let port = port(earlier) { return port }
      for _ in 0..<DeclaredPort.tried { if let port = PortProbe.any().flatMap(port) { return port } }
      throw PortFault(description: "cannot choose a port for \(name): the system has no free one; end what uses them")
    }
  }

  /// Returns the number of a port for a program that is about to start.
  ///
  /// - Throws: the cause, if a given number is used by a process that this supervisor hasn't started, or there is no such port.
  func number(of name: String) throws(Cause) -> Int {
    guard let port = ports[name] else { throw .error(message: "there is no port \(name)") }
    guard port.declared.isGiven, PortProbe.verdict(on: port.number) == .inUse else { return port.number }
    switch SocketOwners.listener(onPort: port.number) {
    case .accepted: return port.number
    case .stranger(let owner):
      let who = owner.map { "\($0)" } ?? "a process of another user"
      throw .error(
        message:
          "port \(port.number) (\(name)) is in use by \(who); stop it, or write \(name): \(port.number)+ for the next free one"
      )
    }
  }

  /// The environment variables with all numbers.
  var variables: [EnvironmentBlock.Variable] {
    ports.map { (InputVariableName.port($0.key), "\($0.value.number)") }
  }
}

extension DeclaredPort {
  /// Whether the number is given, so nothing is chosen.
  fileprivate var isGiven: Bool { if case .number = self { true } else { false } }
}
