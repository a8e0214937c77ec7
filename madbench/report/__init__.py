"""Reports: the tables, figures and transcripts of a sweep, for a terminal, a paper and a browser."""

from madbench.report.text import terminal_table
from madbench.report.write import write_report

__all__ = ["terminal_table", "write_report"]
