"""plait.metrics."""
