"""plait.demo."""
