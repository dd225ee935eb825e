internal import AppInitializers
internal import Etcd
internal import Fleet
internal import InitClient

/// Retries the launch if another host completes an initializer after this host's own attempts have failed; the new run takes that
/// completion.
@FleetActor final class LateCompletions {
  private let etcd: EtcdClient
  private let socket: String?
  /// The tasks that follow a completion, by its key.
  private var following: [String: Task<Void, Never>] = [:]

  init(_ etcd: EtcdClient, socket: String?) {
    self.etcd = etcd
    self.socket = socket
  }

  /// Follows the completion of an initializer that has failed here.
  func follow(_ initializer: String, of release: String, _ key: String) {
    guard following[key] == nil else { return }
    following[key] = Task {
      if await isCompleted(key) { await retry(initializer, of: release) }
      if !Task.isCancelled { following[key] = nil }
    }
  }

  /// Follows no completions any more: the next supervisor launches without a request of the agent.
  func end() {
    for task in following.values { task.cancel() }
    following = [:]
  }

  /// Returns true once another host has completed the initializer, and false if the task is cancelled.
  private func isCompleted(_ key: String) async -> Bool {
    let range = EtcdRange(from: key, to: key + "\0")
    while !Task.isCancelled {
      do {
        let (entries, revision) = try await etcd.list(range)
        if !entries.isEmpty { return true }
        for try await events in etcd.watch(range, from: revision + 1) {
          for case .put in events { return true }
        }
      } catch {
        // The key is read again.
      }
      try? await Task.sleep(for: .milliseconds(Int.random(in: 500...1500)))
    }
    return false
  }

  /// Retries the launch if the initializer has used up its attempts; between two attempts, the next attempt accepts the completion.
  private func retry(_ initializer: String, of release: String) async {
    do {
      let client = try await SupervisorClient.connect(
        at: socket, named: "initfleet agent", within: .seconds(1), onWaiting: { _ in })
      // An active initializer runs again at the next activation anyway; `launch` doesn't run it.
      let status = try await client.status().initializers.first { $0.name == initializer }
      if status?.activity == .failed, status?.priority == .appLaunch {
        Console.complain("\(initializer) of release \(release) has been completed by another host: launching again")
        try await client.launch()
      }
      await client.close()
    } catch {
      Console.complain("can't launch again: \(error)")
    }
  }
}
