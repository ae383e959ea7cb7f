"""Strings beyond the backend suite: stop words of several bytes, empty results, parts, patterns."""

import functools
import itertools
import re

import numpy as np
import onnx
import openvino as ov
import pytest

from .case import Case, Run
from .entry import Entry, assert_passed, parameters
from .one_node import add_case, add_series

CASES = {}
case = functools.partial(add_case, CASES)
series = functools.partial(add_series, CASES)


def texts_of(*texts, shape=None):
    array = np.array(texts, object)
    return array if shape is None else array.reshape(shape)


def add_normalizers():
    words = texts_of("über", "a", "", "日本", "ab", "a", "uber")
    for shape in ((7,), (1, 7)):
        texts = words.reshape(shape)
        for stop in (["a"], ["über", "日本"], ["x"], ["a", "ab", "abc", "über", "日本", "uber"], sorted(set(words) - {""})):
            case("StringNormalizer", 10, texts, stopwords=stop, is_case_sensitive=1, dynamic=len(shape) == 1)
        case("StringNormalizer", 10, texts, dynamic=len(shape) == 1)
    case("StringNormalizer", 10, texts_of("a", "a"), stopwords=["a"], is_case_sensitive=1, variant="nothing left", dynamic=False)
    case("StringNormalizer", 10, texts_of("a", "b", shape=(1, 2)), stopwords=["a", "b"], is_case_sensitive=1, variant="nothing left", dynamic=False)


# Letters with another case since Unicode 16 or 17. Onnxruntime asks the C library, so that it maps them only on newer systems.
NEW_CASES = {0x19B, 0x264, 0x1C89, 0x1C8A, *range(0xA7CB, 0xA7DD), *range(0x10D50, 0x10D86), *range(0x16EA0, 0x16ED4)}


def add_cases_of_letters():
    """Onnxruntime has its default locale, English, only where it is installed; that of C.utf8 maps letters alike."""
    locale = {"locale": "C.utf8"}
    letters = texts_of(*(chr(code) for code in range(1, 0x1F000) if not 0xD800 <= code < 0xE000 and code not in NEW_CASES))
    words = texts_of("äÖßſıİǅﬀΣς", "abc", "", "ÄBC", "Ä", "😀a", "aſbKcΩd")
    for action in ("LOWER", "UPPER"):
        case("StringNormalizer", 10, letters, case_change_action=action, dynamic=False, **locale)
        for shape in ((7,), (1, 7)):
            case("StringNormalizer", 10, words.reshape(shape), case_change_action=action, dynamic=len(shape) == 1, **locale)
            case("StringNormalizer", 10, words.reshape(shape), case_change_action=action, stopwords=["ä", "ABC"], dynamic=len(shape) == 1, **locale)
            case("StringNormalizer", 10, words.reshape(shape), case_change_action=action, stopwords=["ä", "ABC"], is_case_sensitive=1, dynamic=False, **locale)
    case("StringNormalizer", 10, words, stopwords=["ä", "AbC", "AskKωD", "aSbkcωD"], **locale)


def add_splits():
    texts = texts_of("aaa", "", "  a  b c  ", "aaaa b", "abab", "ababab", "  ", "日本日本x日", "日")
    limits = ({}, {"maxsplit": 0}, {"maxsplit": 1}, {"maxsplit": 2}, {"maxsplit": -1}, {"maxsplit": 1 << 40})
    for delimiter, limit in itertools.product((None, "", " ", "a", "aa", "aba", "ab", "日", "日本", "missing everywhere"), limits):
        attributes = limit if delimiter is None else {"delimiter": delimiter, **limit}
        case("StringSplit", 20, texts, outputs=2, **attributes)
    case("StringSplit", 20, texts_of("a,b", shape=()), outputs=2, delimiter=",")
    case("StringSplit", 20, texts_of("a,b", "", "c", ",", ",,", "d", shape=(1, 3, 2)), outputs=2, delimiter=",")
    for shape, delimiter in itertools.product(((0,), (0, 3), (2, 0)), ("", "x", "xx")):
        case("StringSplit", 20, texts_of(shape=shape), outputs=2, delimiter=delimiter)
    case("StringSplit", 20, texts_of("", ""), outputs=2, variant="empty strings")
    # Onnxruntime treats only spaces as white space, unlike the specification.
    spaced = texts_of("\ta\nb\x0bc\x0cd\re ", "\u00a0a\u3000b\u2003\u2009c", "a\u200bb")
    parts = [text.split() for text in spaced]
    padded = texts_of(*(part for row in parts for part in row + [""] * (5 - len(row))), shape=(3, 5))
    case("StringSplit", 20, spaced, outputs=2, expected=[padded, np.array([5, 3, 1])], variant="white space")


PATTERNS = [
    # characters, classes, escapes
    "", "abc", "a.c", "(?s)a.c", "日.", "[a-c]+", "[^a]", "[^a-z0-9]+", "[]a]+", "[^]a]+", "[a-]+", "[-a]+", r"[\d-x]+", r"[\w.]+", "[日-語]+",
    "[é-ž]", "[^é]", "[[:alpha:]]+", "[[:^alpha:]]+", "[[:punct:]b]+", r"\d+", r"\D+", r"\w+", r"\W+", r"\s+", r"\S+", r"\.\*\-\_",
    r"\x61\x{62}\143", r"\x{65E5}+", r"\Qa.b\E", r"\Qa.b", r"\Qab\E+c?", r"a\nc", r"\t|\v|\f|\a|\r", r"\C", r"\C\C\C", r"[\n-a]+", r"[\x{10000}-\x{10FFFF}]",
    # repetition
    "a*", "a+", "a?", "a*?b", "a+?b", "a??b", "a{2}", "a{2,}", "a{2,3}", "a{0}", "a{2,3}?", "(ab){2}", "(a|b)*c", "(a*)*", "(a*b*)+", "a{,2}", "a{2", "{", "x{2}{", "(a{0,2}){2}",
    # groups, alternatives
    "a|b", "a|", "|a", "(|a)b", "(a|ab)(c|bcd)", "(?:ab)+", "(?P<name>ab)+", "(?<name>ab)", "()", "(())a", "a||b",
    # places
    "^ab$", r"\Aab\z", "a^b", "a$b", "^*ab", "(^a|b)+", "(a$|b)+", "$^", "(?m)a$\n^b", "(?m)^a\n^$\nb", r"\bab\b", r"a\Bb", r"a\bb", r".*\bcom\b", r"\b", r"\B", r"(\w+\b\W*)+", r"(?m)(^\w+$\n?)+",
    # flags
    "(?i)ab", "(?i)K", "(?i)s+", "(?i)[a-k]+", "(?i)[^k]", "a(?i)b", "a(?i:b)c", "(?i)a(?-i)b", "(?i)a(?-i:b)c", "(?U)a+", "(?is).+", "(?U:a)b", "((?i)a)b", r"(?i)\w", r"(?i)\W", "(?i)[[:upper:]]+",
    # typical patterns
    r"[\w.+-]+@[\w-]+\.[\w.-]+", r"(\W|^)[\w.\-]{0,25}@(yahoo|gmail)\.com(\W|$)", r"\d{4}-\d{2}-\d{2}(T\d{2}:\d{2})?", r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", r"(25[0-5]|2[0-4]\d|1?\d?\d)(\.(25[0-5]|2[0-4]\d|1?\d?\d)){3}", r"#?([a-f0-9]{6}|[a-f0-9]{3})", r"https?://[^\s/]+(/\S*)?",
]
SUBJECTS = texts_of(
    "", "a", "b", "ab", "abc", "a.b", "aab", "aaa", "aaaa", "abab", "ababc", "abcd", "a\nc", "a\nb", "a\n\nb", "\n", "\t", "\x0b", " ", "  \n", "A", "aB", "AB", "Abc", "abC", "ABC", "k", "K", "\u212a", "s", "S", "\u017f", "sſS",
    "é", "ž", "日", "日本", "日本語", "本", "a日", "日a", "😀", "\U0010ffff", "\u07ff", "\u0800", "\ud7ff", "\ue000", "_", "-", "-a", "]a]", ".*-_", "abb", "abbc", "a{,2}", "a{2", "{", "xx{", "012", "1.5e-3", ".5", "+7.", "a b", "a-b", "x y z", "x!",
    "me@example.com", "me@gmail.com", "me@gmail.org", "www.example.com", "2024-02-30", "2024-02-30T12:00", "127.0.0.1", "256.0.0.1", "#a1b2c3", "fff", "http://x.y/z", "https://x", "bcom", "b.com", "!com", "١",
    # OpenVINO's Python package ends strings at a NUL before 2025.0.
    *(["a\x00b"] if ov.Tensor(np.array(["a\x00b"])).str_data[0] == "a\x00b" else []),
)  # fmt: skip


def add_one_hots():
    """One hot with strings as the two values; the CPU plugin's own OneHot has none."""
    for axis in (-1, 0):
        case("OneHot", 11, np.array([2, 0, -1, 5]), np.array(3), texts_of("off", "ön"), axis=axis, constants=(1, 2))
    case("OneHot", 11, np.array([[2, 0]]), np.array(3), texts_of("off", ""), constants=(1,))


def add_matches():
    for pattern in PATTERNS:
        case("RegexFullMatch", 20, SUBJECTS, pattern=pattern, dynamic=False)
    for shape in ((0,), (2, 0), (0, 3)):
        case("RegexFullMatch", 20, texts_of(shape=shape), pattern="a*")
    case("RegexFullMatch", 20, texts_of("aa", shape=()), pattern="a*")
    case("RegexFullMatch", 20, texts_of("aa", "", "b", "ab", shape=(2, 1, 2)), pattern="a*")
    case("RegexFullMatch", 20, texts_of("", ""), pattern="a*", variant="empty strings")


NUMBERS = texts_of(
    "1", "0", "-7", " 12", "+5", "3.7", "12abc", "1e3", "300", " \n9 ", "00012", "2147483647", "-2147483648", "16777217", "5.", "1.5e-3", "27335306.0",
    "123456789.125", "3.14159265358979323846", "1E+5", "1e", "7e+", "-0.0",
)  # fmt: skip
FRACTIONS = texts_of("0.1", "-.5", ".5e1", "1.17549435e-38", "-3.4028235e38", "0." + 37 * "0" + "1234567", "1e-45", 3 * "1234567890", "NaN", "INF", "-inf", "Infinity")


def add_numbers():
    """Casts from and to strings. The runtime computes i64 in 32 bits."""
    for name in ("bool", "int8", "uint8", "int16", "int32", "int64", "uint32", "uint64"):
        to = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(name))
        below = [text for text in NUMBERS if "-" in text]
        texts = [text for text in NUMBERS if not (name in ("uint32", "uint64") and text in below)]
        case("Cast", 21, texts_of(*texts), to=to)
        bounds = np.iinfo(name if name != "bool" else "int8")
        low, high = max(bounds.min, -(2**31)), min(bounds.max, 2**31 - 1)
        near = {sign * 10**power + more for power in range(10) for sign in (1, -1) for more in (-1, 0, 1)} | {low, low + 1, high - 1, high}
        numbers = np.array(sorted(number for number in near if low <= number <= high)).astype(name)
        case("Cast", 21, numbers, to=onnx.TensorProto.STRING)
    for name in ("float16", "float32", "float64"):
        to = onnx.helper.np_dtype_to_tensor_dtype(np.dtype(name))
        case("Cast", 21, NUMBERS[:15] if name == "float16" else np.concatenate([NUMBERS, FRACTIONS[: 12 if name == "float32" else 8]]), to=to)
    case("Cast", 21, np.array(-42), to=onnx.TensorProto.STRING)
    case("Cast", 21, texts_of("-42", shape=()), to=onnx.TensorProto.INT64)
    case("CastLike", 19, np.arange(6).reshape(1, 2, 3), texts_of(""))
    none, some = np.zeros((2, 0), np.int64), np.array([[0, -120]])
    series("Cast", 21, (none,), (some,), (none,), (np.zeros((0, 3), np.int64),), (some,), to=onnx.TensorProto.STRING)
    for to in (onnx.TensorProto.INT32, onnx.TensorProto.FLOAT):
        series("Cast", 21, (none.astype(str).astype(object),), (some.astype(str).astype(object),), (none.astype(str).astype(object),), to=to)


def add_empty_between_others():
    """The runtime does not run operations on empty tensors: sizes and values of a previous run must not appear."""
    none, some, other = texts_of(shape=(2, 0)), texts_of("a,b", "C", shape=(1, 2)), texts_of("c,,d", shape=(1, 1))
    tensors = (none, some, texts_of(shape=(0, 3)), other, none)
    single = [(value,) for value in tensors]
    series("StringSplit", 20, *single, outputs=2, delimiter=",")
    series("RegexFullMatch", 20, *single, pattern="[ab,]*")
    # Empty with empty, with a tensor that is broadcast to empty, and with a single string.
    pairs = [*zip(tensors, tensors), (none, texts_of("xy", "", shape=(2, 1))), (some, other), (texts_of("z", shape=(1, 1)), none), (other, some)]
    series("StringConcat", 20, *pairs)
    series("Equal", 19, *pairs)
    # Onnxruntime fails on an empty tensor: the result is one empty string, as if all words were removed.
    lists = [(value.reshape(-1),) for value in (some, none, other, none, some)]
    for attributes, kept in (({}, "a,b C"), ({"case_change_action": "UPPER"}, "A,B C"), ({"stopwords": ["C"], "is_case_sensitive": 1}, "a,b"), ({"stopwords": ["c"]}, "a,b")):
        first, nothing, last = (texts_of(*kept.split()),), (texts_of(""),), (texts_of("C,,D" if "A" in kept else "c,,d"),)
        expected = [first, nothing, last, nothing, first]
        for start in (0, 1):
            series("StringNormalizer", 10, *lists[start:], expected=expected[start:], variant=f"from {start}", locale="C.utf8", **attributes)
    keys = {"keys_strings": ["C", "a,b"]}
    series("LabelEncoder", 2, *single, domain="ai.onnx.ml", values_int64s=[3, 5], **keys)
    series("LabelEncoder", 2, *single, domain="ai.onnx.ml", values_strings=["see", "both"], **keys)


STRINGS_OF_BRANCHES = """<ir_version: 10, opset_import: ["" : 20, "ai.onnx.ml" : 2]>
chosen (bool c, int64[n] x) => (string[m] y) {
  chosen = If (c) <
    then_branch = once () => (string[k] p) { p = ai.onnx.ml.LabelEncoder <keys_int64s = [0, 1], values_strings = ["zero", "one"]> (x) },
    else_branch = twice () => (string[k] q) { xx = Concat <axis = 0> (x, x) q = ai.onnx.ml.LabelEncoder <keys_int64s = [0, 1], values_strings = ["null", "eins"]> (xx) }
  >
  y = StringConcat (chosen, chosen)
}
"""


def add_strings_of_branches():
    runs = [Run({"c": np.array(c), "x": np.arange(size) % 2}) for size in (0, 3, 0, 40) for c in (True, False)]
    CASES["strings of branches"] = lambda: Case("strings of branches", STRINGS_OF_BRANCHES.encode(), runs, one_compiled=True)


def add_random_patterns():
    """Patterns put together at random."""
    generator = np.random.default_rng(5)
    pieces = ["a", "b", "é", ".", "[ab]", "[^a]", r"\w", r"\b", r"\B", "^", "$", "(?m:^)", "(?m:$)", "|", "(", ")", "*", "+", "?", "{2}", "{0,1}", "\n"]
    subjects = texts_of(*("".join(letters) for size in range(5) for letters in itertools.product("abé\n", repeat=size)))
    count = 0
    while count < 60:
        pattern = "".join(generator.choice(pieces, generator.integers(2, 9)))
        try:
            re.compile(pattern)
        except re.error:
            continue
        if f"RegexFullMatch_20-random-pattern={pattern}-object341" in CASES or re.search(r"[*+?}][*+?{]", pattern):
            continue
        case("RegexFullMatch", 20, subjects, pattern=pattern, variant=f"random {count}", dynamic=False)
        count += 1


add_normalizers()
add_cases_of_letters()
add_splits()
add_one_hots()
add_matches()
add_numbers()
add_empty_between_others()
add_strings_of_branches()
add_random_patterns()


@pytest.mark.parametrize("conformance", parameters(Entry(("strings", name), make) for name, make in CASES.items()))
def test_strings(conformance, result):
    assert_passed(result)
