internal import Passes

/// A probe of an orchestrator.
public enum Probe: String, Sendable, Hashable, CaseIterable {
  /// Whether this program runs and receives answers from the supervisor.
  case livez
  /// Whether launch has completed.
  case startupz
  /// Whether launch and active are complete while the app is active; without an active phase, whether launch is.
  case readyz
}

/// The answer to a probe.
public struct ProbeAnswer: Sendable, Equatable, Encodable {
  /// Why a probe doesn't pass, for programs.
  public enum Reason: String, Sendable, Encodable {
    /// No supervisor answers at the socket.
    case unreachable
    /// A supervisor is connected, and doesn't answer.
    case silent
    /// A supervisor is connected, and hasn't sent its state yet.
    case connecting
    /// Launch isn't complete.
    case launchPending
    /// Launch has failed.
    case launchFailed
    /// The app is inactive.
    case inactive
    /// The active phase isn't complete.
    case activePending
    /// The active phase has failed.
    case activeFailed
  }

  /// An initializer that the probe waits for.
  public struct Wait: Sendable, Equatable, Encodable {
    /// The name.
    public var initializer: String
    /// The status in the protocol's words.
    public var status: String
    /// What the initializer does or waits for, for people.
    public var message: String?
  }

  /// The maximum number of initializers in an answer.
  static let waitLimit = 16
  /// The maximum number of bytes of a text that another program wrote.
  static let textLimit = 512

  /// Whether the probe passes.
  public var passes: Bool
  /// Why not.
  public var reason: Reason?
  /// One sentence for people.
  public var message: String
  /// The initializers that the probe waits for, at most 16.
  public var waitsFor: [Wait]?
  /// How many further initializers the app waits for.
  public var moreWaitsFor: Int?

  /// Decides.
  init(_ probe: Probe, _ link: Followed.Link, _ picture: Picture?) {
    switch link {
    case .absent(let reason): self.init(.unreachable, reason)
    case .silent(let reason): self.init(.silent, reason)
    case .answering:
      if probe == .livez {
        self.init(passing: "the supervisor answers")
      } else if let picture {
        self.init(probe, picture)
      } else {
        self.init(.connecting, "the supervisor hasn't sent its status yet; it is asked again")
      }
    }
  }

  private init(_ probe: Probe, _ picture: Picture) {
    let states = picture.states
    switch states.launch {
    case .pending:
      self.init(.launchPending, "launch", "initctl launch", picture)
      return
    case .failed(let error):
      self.init(.launchFailed, "launch failed: \(error.cut); correct the cause, then retry with initctl launch")
      return
    case .complete: break
    }
    guard probe == .readyz else {
      self.init(passing: "launch is complete")
      return
    }
    guard states.isActive else {
      // Without an active phase, launch makes an inactive app ready (S1).
      guard picture.initializers.contains(where: { $0.phase == .active }) else {
        self.init(passing: "ready")
        return
      }
      self.init(.inactive, "the app is inactive; activate it with initctl activate")
      return
    }
    switch states.active {
    case .pending: self.init(.activePending, "the active phase", "initctl activate", picture)
    case .failed(let error):
      self.init(
        .activeFailed, "the active phase failed: \(error.cut); correct the cause, then retry with initctl activate")
    case .complete: self.init(passing: "ready")
    }
  }

  private init(passing message: String) {
    passes = true
    self.message = message
  }

  private init(_ reason: Reason, _ message: String) {
    passes = false
    self.reason = reason
    self.message = message
  }

  /// Creates the answer for a pending phase, which `command` starts.
  private init(_ reason: Reason, _ phase: String, _ command: String, _ picture: Picture) {
    let open = Dictionary(
      picture.initializers.map { ($0.name, $0.isInPass) }, uniquingKeysWith: { first, _ in first })
    // Initializers that wait only for other initializers aren't the cause.
    let ready = picture.initializers.filter { each in
      each.isInPass && !(each.status == "waiting" && each.dependencies.contains { open[$0] == true })
    }
    // Neither are those that only wait for a place, unless nothing else is.
    let busy = ready.filter { $0.status != "waiting" || $0.error != nil || !$0.isAvailable }
    let causes = busy.isEmpty ? ready : busy
    let waits = causes.prefix(Self.waitLimit).map(Wait.init)
    guard let first = waits.first else {
      self.init(reason, "\(phase) isn't complete, and no initializer runs; if it doesn't start, use \(command)")
      return
    }
    let more = causes.count - 1
    let others = more == 0 ? "" : more == 1 ? " and another initializer" : " and \(more) other initializers"
    let detail = first.message.map { ": \($0)" } ?? ""
    self.init(reason, "\(phase) waits for \(first.initializer) (\(first.status)\(detail))\(others)")
    waitsFor = waits
    if causes.count > waits.count { moreWaitsFor = causes.count - waits.count }
  }
}

extension ProbeAnswer.Wait {
  fileprivate init(_ initializer: Initializer) {
    self.initializer = initializer.name
    status = initializer.status
    if initializer.status != "waiting" {
      message = initializer.message?.cut
    } else if let error = initializer.error {
      message = "retried after an attempt failed: \(error.cut)"
    } else if !initializer.isAvailable {
      message = "no worker provides it"
    } else {
      message = "waits for its turn"
    }
  }
}

extension String {
  /// The text, cut to its first bytes.
  fileprivate var cut: String {
    guard utf8.count > ProbeAnswer.textLimit else { return self }
    var start = String.UnicodeScalarView()
    var size = 0
    for scalar in unicodeScalars {
      size += UTF8.width(scalar)
      guard size <= ProbeAnswer.textLimit else { break }
      start.append(scalar)
    }
    return String(start) + "…"
  }
}
