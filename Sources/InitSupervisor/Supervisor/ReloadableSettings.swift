internal import InitCore
internal import InitDeclarations

/// The settings of a supervisor that a reload changes.
struct ReloadableSettings: Hashable {
  var machine: Machine.Configuration
  var environment: [String: String]
  var declaredEnvironment: [String: String]
  var release: String?

  static let keys: [DeclarationKey<ReloadableSettings>] = [
    DeclarationKey("release", isWork: false) { $0.release = $1.release },
    DeclarationKey("concurrency", isWork: false) { $0.machine.concurrency = $1.machine.concurrency },
    DeclarationKey("groups", isWork: false) { $0.machine.groups = $1.machine.groups },
    DeclarationKey("keepGoing", isWork: false) { $0.machine.keepsGoing = $1.machine.keepsGoing },
    DeclarationKey("registrationTimeout", isWork: false) {
      $0.machine.registrationTimeout = $1.machine.registrationTimeout
    },
    DeclarationKey("cancelGrace", isWork: false) { $0.machine.cancelGrace = $1.machine.cancelGrace },
    DeclarationKey("stopTimeout", isWork: false) { $0.machine.stopTimeout = $1.machine.stopTimeout },
    DeclarationKey("environment", isWork: false) {
      $0.environment = $1.environment
      $0.declaredEnvironment = $1.declaredEnvironment
    },
  ]
}
