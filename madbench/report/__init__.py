"""Reports: tables, figures and the transcript viewer, from records alone."""
