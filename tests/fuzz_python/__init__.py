"""Fuzz targets of the readers that are written in Python; `scripts/fuzz-python` runs them."""
