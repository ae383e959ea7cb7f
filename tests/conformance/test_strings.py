"""Strings beside the backend suite: stop words of several bytes, and nothing left."""

import functools

import numpy as np
import pytest

from .entry import Entry, assert_passed, parameters
from .one_node import add_case

CASES = {}
case = functools.partial(add_case, CASES)


def add_normalizers():
    words = np.array(["über", "a", "", "日本", "ab", "a", "uber"], object)
    for shape in ((7,), (1, 7)):
        texts = words.reshape(shape)
        for stop in (["a"], ["über", "日本"], ["x"], ["a", "ab", "abc", "über", "日本", "uber"], sorted(set(words) - {""})):
            case("StringNormalizer", 10, texts, stopwords=stop, is_case_sensitive=1, dynamic=len(shape) == 1)
        case("StringNormalizer", 10, texts, dynamic=len(shape) == 1)
    case("StringNormalizer", 10, np.array(["a", "a"], object), stopwords=["a"], is_case_sensitive=1, variant="nothing left", dynamic=False)
    case("StringNormalizer", 10, np.array([["a", "b"]], object), stopwords=["a", "b"], is_case_sensitive=1, variant="nothing left", dynamic=False)


add_normalizers()


@pytest.mark.parametrize("conformance", parameters(Entry(("strings", name), make) for name, make in CASES.items()))
def test_strings(conformance, result):
    assert_passed(result)
