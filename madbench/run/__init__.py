"""One run: episodes of one protocol over the samples of one task."""
