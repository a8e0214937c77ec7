"""Records: rows on disk that survive a kill at any byte, and the seams between stages.

layout.RunFolder      every file of a run; small ones are replaced whole, another config is refused
lines, shards         append-only JSON lines, one writer a file, torn ends mended
journal.Journal       a model's completions by identity, on disk before anybody sees them
codec                 a record as plain data and back, losslessly
plan, index           what a run owes; where its rows lie, in a few bytes a row
tables                records.parquet, turns.parquet and events.parquet, written and read as streams
seams.check_seam      what went in must come out, each row once
"""
