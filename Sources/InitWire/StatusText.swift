/// A Status as JSON text, written so that it always fits in a frame.
///
/// The long parts are messages of runs and errors, and cycles. If a Status would be too long, they are cut, step by step. Names and
/// dependencies are bounded when they are registered.
public struct StatusText: Sendable, Equatable {
  /// The longest text, in bytes: that of a frame, less what is written around it.
  public static let longest = Frame.largestPayload - 16 * 1024
  /// The text.
  public let bytes: [UInt8]

  /// How much of messages and cycles a Status contains.
  enum Detail: CaseIterable {
    /// All of it.
    case whole
    /// 64 characters of a message, and 16 names of a cycle.
    case short
    /// None of it.
    case none
  }

  /// Writes a Status.
  ///
  /// - Parameter limit: the longest that the text may be, in bytes. If not even a Status without messages fits, the text is longer.
  public init(_ status: StatusShape, limit: Int = longest) {
    for detail in Detail.allCases {
      if let text = Self.text(status, detail, limit: detail == .none ? .max : limit) {
        bytes = text
        return
      }
    }
    bytes = []
  }

  private static func text(_ status: StatusShape, _ detail: Detail, limit: Int) -> [UInt8]? {
    var writer = JSONWriter(reserving: min(limit, 512 + 320 * status.initializers.count))
    status.write(to: &writer, detail, limit: limit)
    return writer.bytes.count <= limit ? writer.bytes : nil
  }
}

extension StatusShape {
  /// - Parameter limit: the size in bytes at which writing stops.
  fileprivate func write(to writer: inout JSONWriter, _ detail: StatusText.Detail, limit: Int) {
    writer.object { object in
      object.key("seq")
      object.integer(seq)
      object.key("time")
      object.number(time)
      object.key("instance")
      object.string(instance)
      object.key("pid")
      object.integer(pid)
      object.key("uptime")
      object.number(uptime)
      object.key("lifecycle")
      object.string(lifecycle.rawValue)
      object.key("launch")
      launch.write(to: &object, detail)
      object.key("active")
      active.write(to: &object, detail)
      object.key("composite")
      composite.write(to: &object, detail)
      object.key("holds")
      object.integer(holds)
      object.key("concurrency")
      object.integer(concurrency)
      object.key("initializers")
      object.array { array in
        for initializer in initializers where array.bytes.count <= limit { initializer.write(to: &array, detail) }
      }
      object.key("workers")
      object.array { array in for worker in workers { worker.write(to: &array) } }
      object.member("warnings", warnings) { $0.strings($1) }
      object.member("processes", processes) { writer, processes in
        writer.array { array in for process in processes { process.write(to: &array, detail) } }
      }
    }
  }
}

extension WorkerShape {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { object in
      object.key("client")
      object.string(client)
      object.member("pid", pid) { $0.integer($1) }
      object.key("initializers")
      object.strings(initializers)
    }
  }
}

extension ProcessShape {
  fileprivate func write(to writer: inout JSONWriter, _ detail: StatusText.Detail) {
    writer.object { object in
      object.key("name")
      object.string(name)
      object.member("pid", pid) { $0.integer($1) }
      object.member("uptime", uptime) { $0.number($1) }
      object.key("restarts")
      object.integer(restarts)
      object.member("lastExit", lastExit) { $1.write(to: &$0, detail) }
      object.member("nextStart", nextStart) { $0.number($1) }
      object.key("givenUp")
      object.boolean(givenUp)
    }
  }
}

extension StateShape {
  fileprivate func write(to writer: inout JSONWriter, _ detail: StatusText.Detail) {
    writer.object { object in
      object.key("state")
      object.string(state.rawValue)
      object.member("error", error) { $1.write(to: &$0, detail) }
      object.member("pass", pass) { $0.integer($1) }
    }
  }
}

extension InitializerShape {
  fileprivate func write(to writer: inout JSONWriter, _ detail: StatusText.Detail) {
    writer.object { object in
      object.key("name")
      object.string(name)
      object.key("priority")
      object.string(priority.rawValue)
      object.key("dependencies")
      object.strings(dependencies)
      object.key("provider")
      object.string(provider.rawValue)
      object.key("available")
      object.boolean(available)
      object.key("status")
      object.string(status.rawValue)
      object.member("blockedBy", blockedBy) { $0.string($1) }
      object.member("run", run) { $0.integer($1) }
      object.member("attempt", attempt) { $0.integer($1) }
      object.member("pass", pass) { $0.integer($1) }
      object.member("phase", phase) { $0.string($1.rawValue) }
      object.member("started", started) { $0.number($1) }
      object.member("duration", duration) { $0.number($1) }
      object.member("progress", progress) { $1.write(to: &$0, detail) }
      object.member("error", error) { $1.write(to: &$0, detail) }
    }
  }
}

extension ProgressShape {
  fileprivate func write(to writer: inout JSONWriter, _ detail: StatusText.Detail) {
    writer.object { object in
      object.member("fraction", fraction) { $0.number($1) }
      object.member("message", message) { $0.string(detail.cut($1)) }
    }
  }
}

extension ErrorShape {
  fileprivate func write(to writer: inout JSONWriter, _ detail: StatusText.Detail) {
    writer.object { object in
      object.key("code")
      object.string(code)
      object.key("initializer")
      object.string(initializer)
      switch reason {
      case .circularDependency(let cycle):
        object.key("cycle")
        object.strings(detail.cut(cycle))
      case .missingDependency(let dependency):
        object.key("dependency")
        object.string(dependency)
      case .duplicateInitializer, .unknown: break
      case .initializerFailed(let cause):
        object.key("cause")
        cause.write(to: &object, detail)
      }
      object.key("message")
      object.string(detail.cut(message))
    }
  }
}

extension CauseShape {
  fileprivate func write(to writer: inout JSONWriter, _ detail: StatusText.Detail) {
    writer.object { object in
      object.key("kind")
      object.string(kind)
      switch self {
      case .error(let message), .notFound(let message):
        object.key("message")
        object.string(detail.cut(message))
      case .exit(let status):
        object.key("status")
        object.integer(status)
      case .signal(let name):
        object.key("signal")
        object.string(name)
      case .timeout(let after):
        object.key("after")
        object.number(after)
      case .workerLost, .unknown: break
      }
    }
  }
}

extension ErrorShape {
  private var code: String {
    switch reason {
    case .circularDependency: "circularDependency"
    case .missingDependency: "missingDependency"
    case .duplicateInitializer: "duplicateInitializer"
    case .initializerFailed: "initializerFailed"
    case .unknown(let code): code
    }
  }
}

extension CauseShape {
  private var kind: String {
    switch self {
    case .error: "error"
    case .exit: "exit"
    case .signal: "signal"
    case .timeout: "timeout"
    case .workerLost: "workerLost"
    case .notFound: "notFound"
    case .unknown(let kind): kind
    }
  }
}

extension StatusText.Detail {
  fileprivate func cut(_ message: String) -> String {
    switch self {
    case .whole: message
    case .short: WireError.clipped(message)
    case .none: ""
    }
  }

  fileprivate func cut(_ cycle: [String]) -> [String] {
    switch self {
    case .whole: cycle
    case .short: Array(cycle.prefix(16))
    case .none: []
    }
  }
}

extension JSONWriter {
  /// A member, if it has a value.
  fileprivate mutating func member<Value>(
    _ name: StaticString, _ value: Value?, _ write: (inout JSONWriter, Value) -> Void
  ) {
    guard let value else { return }
    key(name)
    write(&self, value)
  }

  /// An array of strings.
  fileprivate mutating func strings(_ strings: [String]) {
    array { array in for each in strings { array.string(each) } }
  }
}
