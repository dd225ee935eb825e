// Placeholder until the program stands.
