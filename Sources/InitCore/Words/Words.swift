// The leaf words: phase, priority, cancel reason, cause and others. Users of this module have them all.
@_exported public import InitWords
