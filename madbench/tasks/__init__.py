"""Tasks: where samples come from, and the one module that reads answers."""
