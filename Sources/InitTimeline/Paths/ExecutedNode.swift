package import InitModel
package import InitWords

/// A node of an executed graph: the time in which an initializer had a place without interruption.
///
/// It consists of the attempts and of the pauses between them, which keep the place (S16).
///
/// An initializer usually has one in a pass. It has another one if it was removed while it ran, and was registered again (S21).
package struct ExecutedNode: Sendable, Equatable {
  /// The initializer.
  package let name: String
  /// The phase of the pass, if launch and the active pass are shown together.
  package let phase: Phase?
  /// The runs, in the order in which they started; none for an initializer that hasn't started.
  package let runs: [Pass.Run]
  /// The dependencies that completed in this pass before it.
  package let waitedFor: [String]
  /// The time at which the node started.
  package let started: Double
  package var ended: Double
  /// The sum of the durations of all attempts.
  package let running: Double
  /// Whether the node still has a place.
  package let isOngoing: Bool

  /// All pauses together.
  package var backoff: Double { max(0, ended - started - running) }
  /// The first run of the node, which records its start.
  package var start: Pass.Run? { runs.first }

  /// Creates a node with some runs; at least one.
  package init(_ runs: [Pass.Run], of timeline: InitializerTimeline, isLast: Bool) {
    name = timeline.name
    phase = timeline.phase
    self.runs = runs
    waitedFor = runs[0].waitedFor
    started = runs[0].started
    ended = isLast ? timeline.ended : timeline.end(of: runs[runs.count - 1])
    running = runs.reduce(0) { $0 + (timeline.end(of: $1) - $1.started) }
    isOngoing = isLast && (timeline.isRetrying || timeline.outcome == .running)
  }

  /// Creates the node of an initializer that hasn't started at the end of the pass, or at the present.
  package init(_ unstarted: Unstarted, at now: Double) {
    name = unstarted.name
    phase = unstarted.phase
    runs = []
    waitedFor = unstarted.dependencies
    started = now
    ended = now
    running = 0
    isOngoing = false
  }

  /// Returns the nodes of an initializer.
  ///
  /// Attempts are counted from 1 in each node.
  package static func all(of timeline: InitializerTimeline) -> [ExecutedNode] {
    var groups: [[Pass.Run]] = []
    for run in timeline.runs {
      if let last = groups.last?.last, last.outcome?.known == .failed, run.attempt > last.attempt {
        groups[groups.count - 1].append(run)
      } else {
        groups.append([run])
      }
    }
    return groups.enumerated().map { ExecutedNode($1, of: timeline, isLast: $0 == groups.count - 1) }
  }
}
