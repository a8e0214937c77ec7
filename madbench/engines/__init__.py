"""Engines: models behind one async call; batching is their own business."""
