internal import InitCore

extension ManifestReader {
  /// Reads what an initializer waits for (S31); `nil` after a mistake.
  mutating func probe(_ field: Field) -> Probe? {
    let label = quoted(field.name)
    let example = "\(field.name): { tcp: \"localhost:5432\" }"
    guard
      let fields = fields(
        of: field.value, called: label, ManifestSection.waitFor.keyNames(for: purpose), example: example)
    else {
      return nil
    }
    let every = fields["every"].map { span($0) } ?? Probe.usualPause
    let tryTimeout = fields["tryTimeout"].map { span($0) } ?? Probe.usualTryTimeout
    let targets = ManifestSection.targetKeys.compactMap { fields[$0.name] }
    guard let target = targets.first else {
      if fields.isWhole {
        findings.add(field.value.position, "\(label) has nothing to wait for", "write \(example)")
      }
      return nil
    }
    guard targets.count == 1 else {
      findings.add(
        max(targets[0].position, targets[1].position),
        "\(label) has both \(targets[0].name) and \(targets[1].name)", "keep one of them; write an initializer for each"
      )
      return nil
    }
    let statuses = fields["status"].map { self.statuses($0) } ?? .success
    if let status = fields["status"], target.name != "http" {
      findings.add(status.position, "\"status\" is only for http, not for \(target.name)", "remove it")
    }
    guard var target = self.target(target), let statuses, let every, let tryTimeout else { return nil }
    if case .http(var page) = target {
      page.statuses = statuses
      target = .http(page)
    }
    return Probe(target, every: every, tryTimeout: tryTimeout)
  }

  private mutating func target(_ field: Field) -> Probe.Target? {
    switch field.name {
    case "tcp": endpoint(field) { (text) throws(Endpoint.Mistake) in .tcp(try Endpoint.parse(text)) }
    case "http": endpoint(field) { (text) throws(Endpoint.Mistake) in .http(try HTTPTarget.parse(text)) }
    case "unix": path(field, example: "/run/bus.sock", limit: Self.maximumSocketBytes).map { .unix($0) }
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
    let example = isPort ? "\"localhost:5432\"" : "\"http://localhost:8080/health\""
    guard let text = word(field, isPort ? "HOST:PORT" : "a URL", example: example) else { return nil }
    do {
      return try parse(text)
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
    return text
  }

  /// Reads a status, a range of them, or a list of both.
  private mutating func statuses(_ field: Field) -> StatusRanges? {
    let nodes = if case .list(let nodes) = field.value.content { nodes } else { [field.value] }
    var ranges: [ClosedRange<Int>] = []
    for node in nodes {
      guard case .scalar(let text, _) = node.content, !node.isNull else {
        tellWrong(node, called: quoted(field.name), wanted: "a status or a range", example: "status: 200-299")
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
  private mutating func span(_ field: Field) -> Duration? {
    guard let span = duration(field, example: "500ms") else { return nil }
    guard span > .zero else {
      findings.add(
        field.value.position, "\(quoted(field.name)) must be more than 0", "write e.g. \(field.name): 500ms")
      return nil
    }
    return span
  }
}
