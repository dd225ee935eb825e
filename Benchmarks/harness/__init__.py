"""What the rows of the benchmark share: rounds, targets, the table, and the programs that are measured."""
