/// The actor of everything in this program that has a state: its parts call each other without suspending.
@globalActor package actor FleetActor {
  package static let shared = FleetActor()
}
