public import ArgumentParser
public import InitWire

// Words of the protocol as arguments: help and completions list them.

extension Topic: ExpressibleByArgument {}
extension Priority: ExpressibleByArgument {}
