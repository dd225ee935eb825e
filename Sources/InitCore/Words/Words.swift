// The leaf words: phase, priority, cancel reason, cause and others. This module re-exports them.
@_exported public import InitWords
