"""madbench: does letting language models argue beat spending the same compute in simpler ways?"""

import os

__version__ = "0.1.0"

# Arrow's own allocator keeps some of every batch. Arrow chooses once, when it is loaded; a pool that is set later
# serves arrays alone, not the pages that tables are read and written through.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
