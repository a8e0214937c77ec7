"""Records: rows on disk that survive a kill at any byte, and the seams between stages."""
