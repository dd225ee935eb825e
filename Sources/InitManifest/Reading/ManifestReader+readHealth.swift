internal import InitCore
internal import InitDeclarations

extension ManifestReader {
  /// Reads how a process is checked after it is ready (S38).
  mutating func readHealth(_ field: Field, of entry: inout Manifest.Entry<DeclaredWorker>) {
    guard
      let fields = fields(of: field.value, called: quoted(field.name), .healthy, example: "healthy: { every: 30s }")
    else { return }
    let targets = ManifestSection.healthTargetKeys.compactMap { fields[$0.name] }
    guard targets.count <= 1 else {
      findings.add(
        max(targets[0].position, targets[1].position),
        "\(quoted(field.name)) has both \(targets[0].name) and \(targets[1].name)", "keep one of them")
      return
    }
    let tries = fields["tries"].map { integer($0, example: "3") } ?? HealthPolicy.usualTries
    let onFailure = fields["onFailure"].map { choice($0, of: HealthPolicy.OnFailure.self) } ?? .restart
    guard let check = check(targets.first, fields, field, &entry), let tries, let onFailure else { return }
    entry.declared.policy.healthy = HealthPolicy(check, tries: tries, onFailure: onFailure)
  }

  private mutating func check(
    _ target: Field?, _ fields: Fields, _ field: Field, _ entry: inout Manifest.Entry<DeclaredWorker>
  ) -> HealthPolicy.Check? {
    guard let target else { return checkOfReadiness(fields, field, entry.declared) }
    if target.name == "watchdog" {
      reportUnfit(["every", "tries", "tryTimeout"], fields, target, "what is tried")
      reportUnfit(["status"], fields, target, "http")
      reportUnfit(["owner"], fields, target, "tcp, http and unix")
      return span(target, example: "30s").map { .watchdog($0) }
    }
    let hasSocket = ["tcp", "http", "unix"].contains(target.name)
    if !hasSocket { reportUnfit(["owner"], fields, target, "tcp, http and unix") }
    let owner = fields["owner"].flatMap { choice($0, of: Owner.self) }
    if target.name == "command" { note(target, as: "healthy.command", in: &entry) }
    return probe(target, fields, every: HealthPolicy.usualPause).map { .probe($0, ofOwner: owner == nil && hasSocket) }
  }

  /// Returns the check of what `ready` checks.
  private mutating func checkOfReadiness(_ fields: Fields, _ field: Field, _ declared: DeclaredWorker) -> HealthPolicy
    .Check?
  {
    guard case .probe? = declared.policy.ready else {
      if fields.isWhole, !fields.hasUnknown {
        findings.add(
          field.value.position, "\(quoted(field.name)) has nothing to check, and \(quoted("ready")) checks nothing",
          "write e.g. healthy: { tcp: \"localhost:6379\" }")
      }
      return nil
    }
    for field in ["status"].compactMap({ fields[$0] }) {
      findings.add(
        field.position, "\(quoted(field.name)) needs \(quoted("http"))", "write the page here, too, or remove it")
    }
    let ofAnyone = fields["owner"].flatMap { choice($0, of: Owner.self) } != nil
    guard let every = fields["every"].map({ span($0) }) ?? HealthPolicy.usualPause,
      let tryTimeout = fields["tryTimeout"].map({ span($0) }) ?? Probe.usualTryTimeout
    else { return nil }
    return .readiness(every: every, tryTimeout: tryTimeout, ofAnyone: ofAnyone)
  }
}
