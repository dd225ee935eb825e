// Placeholder until the module stands.
