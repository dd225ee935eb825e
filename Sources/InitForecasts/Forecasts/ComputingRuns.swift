internal import InitCore
internal import InitText
internal import InitTimeline

/// The runs in flight that compute, in simulated time: how far they are, and when they will end if nothing else starts or ends.
struct ComputingRuns: Sendable {
  private struct Progress {
    let demand: Demand
    /// The remaining computing time if the run shared its cores with nothing, in seconds.
    var left: Double
    var since: Instant
    var load = CoreSharing.Load()

    var slowdown: Double { demand.slowdown(load.stretch) }
  }

  private let sharing: CoreSharing
  private var runs: [RunID: Progress] = [:]
  private var isShared = false
  /// The runs whose end may have changed.
  private var changed: Set<RunID> = []

  /// No runs.
  init(_ sharing: CoreSharing) { self.sharing = sharing }

  /// Records the start of a run.
  mutating func start(_ run: RunID, _ demand: Demand, at now: Instant) {
    runs[run] = Progress(demand: demand, left: demand.alone, since: now)
    changed.insert(run)
  }

  /// Removes a run that has ended, or that must stop.
  mutating func remove(_ run: RunID) {
    if runs.removeValue(forKey: run) != nil, isShared { changed.insert(run) }
  }

  /// Returns the ends of the runs whose end has changed since the last call.
  mutating func ends(at now: Instant) -> [(run: RunID, end: Instant)] {
    guard !changed.isEmpty else { return [] }
    let numbers = runs.keys.sorted()
    let inFlight = numbers.compactMap { runs[$0] }
    let demands = inFlight.map(\.demand)
    let isSharing = sharing.isShared(by: demands)
    defer {
      isShared = isSharing
      changed = []
    }
    // Without sharing, before and now, nothing changes for the others.
    guard isShared || isSharing else {
      return changed.sorted().compactMap { end(of: $0, CoreSharing.Load(), at: now) }
    }
    let loads = sharing.loads(demands, from: inFlight.map(\.load))
    return zip(numbers, loads).compactMap { end(of: $0, $1, at: now) }
  }

  private mutating func end(of run: RunID, _ load: CoreSharing.Load, at now: Instant) -> (run: RunID, end: Instant)? {
    guard var progress = runs[run] else { return nil }
    progress.left = max(0, progress.left - (now - progress.since).inSeconds / progress.slowdown)
    progress.since = now
    progress.load = load
    runs[run] = progress
    return (run, now + .seconds(progress.left * progress.slowdown))
  }
}
