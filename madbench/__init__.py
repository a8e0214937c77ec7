"""madbench: does letting language models argue beat spending the same compute in simpler ways?"""

__version__ = "0.1.0"
