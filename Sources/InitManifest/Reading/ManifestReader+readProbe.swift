internal import InitCore
internal import InitDeclarations

extension ManifestReader {
  /// Reads the target that an initializer waits for (S31); `nil` after a mistake.
  mutating func probe(_ field: Field) -> Probe? {
    guard let (fields, target) = target(field, .waitFor, among: ManifestSection.targetKeys) else { return nil }
    return probe(target, fields)
  }

  /// Reads how the readiness of a process is detected (S32); `nil` after a mistake.
  mutating func readiness<Declared: Sendable>(_ field: Field, of entry: inout Manifest.Entry<Declared>)
    -> Readiness?
  {
    if case .scalar(let text, _) = field.value.content, !field.value.isNull {
      if text == "started" { return .started }
      findings.add(
        field.value.position, "\(quoted(field.name)) cannot be \(quoted(text))",
        "write \(field.name): started, or e.g. \(field.name): { tcp: \"localhost:6379\" }")
      return nil
    }
    guard let (fields, target) = target(field, .ready, among: ManifestSection.readinessKeys) else { return nil }
    let owner = fields["owner"].flatMap { choice($0, of: Owner.self) }
    let hasSocket = ["tcp", "http", "unix"].contains(target.name)
    reportUnfit(hasSocket ? [] : ["owner"], fields, target, "tcp, http and unix")
    guard target.name != "notify", target.name != "line" else {
      reportUnfit(["every", "tryTimeout"], fields, target, "what is tried")
      reportUnfit(["status"], fields, target, "http")
      return target.name == "line"
        ? word(target, "a text", example: "listening on").map { .line($0) } : notification(target)
    }
    if target.name == "command" { note(target, as: "ready.command", in: &entry) }
    return probe(target, fields).map { .probe($0, ofOwner: owner == nil && hasSocket) }
  }

  private mutating func notification(_ target: Field) -> Readiness? {
    guard let says = boolean(target) else { return nil }
    guard says else {
      findings.add(target.value.position, "\"notify\" can only be true", "write notify: true, or another way to know")
      return nil
    }
    return .notification
  }

  /// Decides whose sockets count.
  enum Owner: String, CaseIterable { case any }

  /// Reads a mapping that has exactly one key of a list.
  private mutating func target(
    _ field: Field, _ section: ManifestSection, among keys: [ManifestKey]
  ) -> (Fields, Field)? {
    let label = quoted(field.name)
    let example = "\(field.name): { tcp: \"localhost:6379\" }"
    guard
      let fields = fields(of: field.value, called: label, section, example: example)
    else { return nil }
    let targets = keys.compactMap { fields[$0.name] }
    guard let target = targets.first else {
      if fields.isWhole, !fields.hasUnknown {
        findings.add(field.value.position, "\(label) has nothing to wait for", "write \(example)")
      }
      return nil
    }
    guard targets.count == 1 else {
      let remedy = section == .waitFor ? "; write an initializer for each" : ""
      findings.add(
        max(targets[0].position, targets[1].position),
        "\(label) has both \(targets[0].name) and \(targets[1].name)", "keep one of them\(remedy)")
      return nil
    }
    return (fields, target)
  }

  /// Reports keys that don't fit the target; `fit` names the targets for which they are allowed.
  mutating func reportUnfit(_ names: [String], _ fields: Fields, _ target: Field, _ fit: String) {
    for field in names.compactMap({ fields[$0] }) {
      findings.add(
        field.position, "\(quoted(field.name)) is only for \(fit), not for \(target.name)", "remove it")
    }
  }

  mutating func probe(_ field: Field, _ fields: Fields, every usual: Duration = Probe.usualPause) -> Probe? {
    let every = fields["every"].map { span($0) } ?? usual
    let tryTimeout = fields["tryTimeout"].map { span($0) } ?? Probe.usualTryTimeout
    let statuses = fields["status"].map { self.statuses($0) } ?? .success
    if field.name != "http" { reportUnfit(["status"], fields, field, "http") }
    guard var target = self.target(field), let statuses, let every, let tryTimeout else { return nil }
    switch target {
    case .http(var page):
      page.statuses = statuses
      target = .http(page)
    case .later(let text, _?): target = .later(text, statuses: statuses)
    case .tcp, .unix, .path, .command, .later: break
    }
    return Probe(target, every: every, tryTimeout: tryTimeout)
  }

  private mutating func target(_ field: Field) -> Probe.Target? {
    switch field.name {
    case "tcp": endpoint(field) { (text) throws(Endpoint.Mistake) in .tcp(try Endpoint.parse(text)) }
    case "http": endpoint(field) { (text) throws(Endpoint.Mistake) in .http(try HTTPTarget.parse(text)) }
    case "unix": path(field, example: "/run/bus.sock", limit: Self.maximumSocketBytes).map { .unix($0) }
    case "command": arguments(field).map { .command($0) }
    default: path(field, example: "/data/ready", limit: Self.maximumPathBytes).map { .path($0) }
    }
  }

  /// The maximum length of a Unix socket's path in bytes.
  private static let maximumSocketBytes = 107
  /// The maximum length of another path in bytes: messages contain it.
  private static let maximumPathBytes = 512

  private mutating func endpoint(
    _ field: Field, _ parse: (String) throws(Endpoint.Mistake) -> Probe.Target
  ) -> Probe.Target? {
    let isPort = field.name == "tcp"
    let example = isPort ? "\"localhost:6379\"" : "\"http://localhost:8080/health\""
    guard let text = word(field, isPort ? "HOST:PORT" : "a URL", example: example) else { return nil }
    let references = ValueReference.all(in: noting(text, at: field.value.position))
    do {
      guard !references.isEmpty else { return try parse(text) }
      // An output may be anything; a port is a number.
      if references.allSatisfy(\.isPort) { _ = try parse(ValueReference.sample(of: text)) }
      return .later(text, statuses: isPort ? nil : .success)
    } catch {
      findings.add(field.value.position, "\(quoted(field.name)): \(error.problem)", error.remedy)
      return nil
    }
  }

  private mutating func path(_ field: Field, example: String, limit: Int) -> String? {
    guard let text = word(field, "a path", example: example) else { return nil }
    guard text.utf8.count <= limit else {
      findings.add(
        field.value.position, "\(quoted(field.name)) has \(text.utf8.count) bytes; the maximum is \(limit)",
        "choose a shorter path")
      return nil
    }
    return noting(text, at: field.value.position)
  }

  /// Reads a status, a range of them, or a list of both.
  private mutating func statuses(_ field: Field) -> StatusRanges? {
    let nodes = if case .list(let nodes) = field.value.content { nodes } else { [field.value] }
    var ranges: [ClosedRange<Int>] = []
    for node in nodes {
      guard case .scalar(let text, _) = node.content, !node.isNull else {
        reportWrong(node, called: quoted(field.name), wanted: "a status or a range", example: "status: 200-299")
        return nil
      }
      if let range = StatusRanges.backwards(text) {
        findings.add(
          node.position, "the range \(quoted(text)) runs backwards",
          "write \(range.lowerBound)-\(range.upperBound)")
        return nil
      }
      guard let range = StatusRanges.range(text) else {
        findings.add(
          node.position, "\(quoted(text)) is not a status of HTTP, or a range of them", "write e.g. 204, or 200-299")
        return nil
      }
      ranges.append(range)
    }
    if ranges.isEmpty, field.value.isWhole {
      findings.add(field.value.position, "\(quoted(field.name)) is empty", "write status: 200-299, or remove it")
    }
    return ranges.isEmpty ? nil : StatusRanges(ranges)
  }

  /// Reads a duration of more than 0.
  mutating func span(_ field: Field, example: String = "500ms") -> Duration? {
    guard let span = duration(field, example: example) else { return nil }
    guard span > .zero else {
      findings.add(
        field.value.position, "\(quoted(field.name)) must be more than 0", "write e.g. \(field.name): \(example)")
      return nil
    }
    return span
  }
}
