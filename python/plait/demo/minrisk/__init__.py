"""The experiment of Li and Eisner (2009), section 7.4, in small: minimum-risk training of a translation system.

`run` makes the rows of their Table 5 for several seeds. See `plait demo minrisk`.
"""

from plait.demo.minrisk.claims import CLAIMS, SIGNIFICANT, Claim, Finding
from plait.demo.minrisk.experiment import run
from plait.demo.minrisk.results import RIVALS, Results, Row, SeedRun
from plait.demo.minrisk.schemes import SCHEMES, Scheme
from plait.demo.minrisk.settings import Settings

__all__ = [
    "CLAIMS",
    "RIVALS",
    "SCHEMES",
    "SIGNIFICANT",
    "Claim",
    "Finding",
    "Results",
    "Row",
    "Scheme",
    "SeedRun",
    "Settings",
    "run",
]
