"""The version of this package. The supervisor shows this version for clients that don't give their own."""

__version__ = "0.1.0"
