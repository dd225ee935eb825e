internal import EventLoop
internal import Glibc
internal import InitCore
internal import InitText
internal import InitWords
internal import Platform

/// Why a try of a probe has failed (S31).
enum ProbeFailure: Equatable {
  /// The name of the host isn't known, for this reason.
  case unknownHost(String)
  /// The connection isn't established.
  case notConnected(SystemError)
  /// There was no answer in time.
  case noAnswer
  /// The answer has this status of HTTP, which isn't a good one.
  case status(Int)
  /// The answer isn't one of HTTP.
  case notHTTP
  /// The connection was closed before there was an answer.
  case closed
  /// The command has failed.
  case check(Cause)
  /// The socket belongs to another process.
  case stranger(String)
  /// The file doesn't exist.
  case noFile(SystemError)

  /// How informative the failure is, compared with the other failures of its try: an answer is the most informative, a missing route to an
  /// address the least.
  var weight: Int {
    switch self {
    case .notConnected(let error):
      [ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.errno) ? 0 : 1
    case .unknownHost, .noAnswer, .noFile: 1
    case .status, .notHTTP, .closed, .check, .stranger: 2
    }
  }

  /// Returns a description of the failure, which names the target.
  func words(for probe: Probe) -> String {
    switch self {
    case .unknownHost(let why): "cannot look up \(probe.host): \(why)"
    case .notConnected(let error):
      switch error.errno {
      case ECONNREFUSED: "connection refused by \(probe.name)"
      case ENOENT, ENOTDIR: "\(probe.name) doesn't exist"
      default: "cannot connect to \(probe.name): \(error.reason)"
      }
    case .noAnswer where probe.isCommand:
      "\(probe.name) didn't exit within \(probe.tryTimeout.words)"
    case .noAnswer: "no answer from \(probe.name) within \(probe.tryTimeout.words)"
    case .status(let status) where 300...399 ~= status:
      "\(probe.name) answered \(status), a redirect, which isn't followed"
    case .status(let status): "\(probe.name) answered \(status)"
    case .notHTTP: "\(probe.name) answered something that isn't HTTP"
    case .closed: "\(probe.name) closed the connection without an answer"
    case .check(let cause): "\(cause)"
    case .stranger(let who): "answered by \(who)"
    case .noFile(let error) where error.isAbsence: "\(probe.name) doesn't exist"
    case .noFile(let error): "cannot look for \(probe.name): \(error.isUnasked ? "\(error)" : error.reason)"
    }
  }
}

extension Probe {
  /// The endpoint that is connected to; nil for files.
  var endpoint: Endpoint? {
    switch target {
    case .tcp(let endpoint): endpoint
    case .http(let target): target.endpoint
    case .unix, .path, .command, .later: nil
    }
  }

  /// Whether the probe executes a command.
  fileprivate var isCommand: Bool { if case .command = target { true } else { false } }

  /// The host whose addresses are looked up, in the words of messages.
  fileprivate var host: String { written ?? endpoint?.host ?? "" }
}
