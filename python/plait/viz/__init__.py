"""plait.viz."""
