"""Makes the demo corpora."""
