"""Simulated hosts of a fleet, and the etcd that they share."""
