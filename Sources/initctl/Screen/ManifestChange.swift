internal import InitClient
internal import InitModel
internal import InitWire

/// The notice that the manifest has changed since the supervisor has read it: what is tried again then isn't what the file says.
enum ManifestChange {
  /// How long the supervisor may take to compare; without its answer nothing is said.
  private static let patience = Duration.seconds(2)

  /// Says on standard error what to do, if a reload would change something.
  static func complain(on client: Client) async {
    do throws(ClientError) {
      guard try await client.send(ReloadRequest(dryRun: true), within: patience).hasChanges else { return }
      Console.complain("the manifest has changed: initctl reload")
    } catch {
      // Without a manifest, or without the permission, there is nothing to say.
      guard case .refused(let refusal) = error, refusal.knownCode == .invalidManifest else { return }
      Console.complain("the manifest has changed, and has mistakes: initctl reload --dry-run shows them")
    }
  }
}

extension ConfigurationChanges {
  /// Whether a reload changes something.
  fileprivate var hasChanges: Bool {
    !added.isEmpty || !changed.isEmpty || !removed.isEmpty || !fromNextRun.isEmpty
      || !settings.isEmpty
  }
}
