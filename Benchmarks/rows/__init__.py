"""The rows: each module measures one, or a few that share their servers. ROWS has them in the order of the table."""

from . import chain, ping

ROWS = {"chain": chain.rows, "ping": ping.plain, "ping-pipelined": ping.pipelined}
