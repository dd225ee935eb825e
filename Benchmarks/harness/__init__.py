"""The common parts of the benchmark's rows: rounds, targets, the table, and the measured programs."""
