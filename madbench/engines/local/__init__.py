"""Running a local model with torch: every module here imports it, so none is imported before a model opens."""
