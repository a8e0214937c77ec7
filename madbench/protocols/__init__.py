"""Protocols: one file each, the algorithm in one screen."""
