"""plait.io."""
