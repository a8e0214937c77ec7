"""Jobs of a sweep: a supervisor without weights, workers with them."""
