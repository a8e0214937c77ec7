"""Proving, before anything is submitted, that an experiment can run here. Nothing is generated or fetched."""
