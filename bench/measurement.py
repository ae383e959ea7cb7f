"""Helpers for measurements."""

import math


def undisturbed(times):
    """One of the shortest times: the 5th of 100. Other load makes times longer, never shorter."""
    return sorted(times)[len(times) // 20]


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 1.0
