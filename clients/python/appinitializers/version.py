"""The version of this package. The supervisor shows it for clients that don't give their own."""

__version__ = "0.1.0"
