"""plait.cli."""
