"""Tracking: what leaves for an experiment tracker, which can cost no result."""
