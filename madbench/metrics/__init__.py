"""Metrics: numbers of one episode, and estimates over many. Definitions stand in the docstrings."""
