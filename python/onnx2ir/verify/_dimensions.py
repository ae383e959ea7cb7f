"""Names of dynamic dimensions that are computed from others: `past_sequence_length + sequence_length`, `2*n`, `floor(n/2)`."""

import ast
import re
from typing import Callable, Dict, List, Mapping, Optional

_FUNCTIONS: Dict[str, Callable[..., int]] = {"max": max, "min": min, "floor": lambda value: value, "ceil": lambda value: value}
_OPERATORS: Dict[type, Callable[[int, int], int]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Div: lambda left, right: left // right,
    ast.Mod: lambda left, right: left % right,
}


def names_in(text: str) -> List[str]:
    """The names that a dimension called `text` is computed from, in order; only `text` if it is a plain name."""
    tree = _parsed(text)
    if tree is None:
        return [text]
    functions = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in functions]
    return list(dict.fromkeys(node.id for node in sorted(names, key=lambda node: node.col_offset)))


def evaluate(text: str, sizes: Mapping[str, int]) -> int:
    """The size of the dimension called `text` with the sizes of names_in(text). Raises ArithmeticError if it has none."""
    tree = _parsed(text)
    return sizes[text] if tree is None else _value(tree, sizes)


def solve(text: str, size: int, sizes: Mapping[str, int], unknown: str) -> Optional[int]:
    """The smallest size of `unknown` with which the dimension `text` has `size`; None if there is none."""
    for candidate in range(size + 1):
        try:
            if evaluate(text, {**sizes, unknown: candidate}) == size:
                return candidate
        except ArithmeticError:
            pass
    return None


def _parsed(text: str) -> Optional[ast.expr]:
    """The syntax tree of an expression; None for a plain name, also if it has hyphens, dots or spaces ("batch-size")."""
    if re.search(r"\w-\w", text):
        return None
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return tree if not isinstance(tree, ast.Name) and _is_supported(tree) and any(isinstance(node, ast.Name) for node in ast.walk(tree)) else None


def _is_supported(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return type(node.value) is int
    if isinstance(node, ast.Call):
        is_known = isinstance(node.func, ast.Name) and node.func.id.lower() in _FUNCTIONS
        return is_known and bool(node.args) and not node.keywords and all(map(_is_supported, node.args))
    if isinstance(node, ast.BinOp):
        return type(node.op) in _OPERATORS and _is_supported(node.left) and _is_supported(node.right)
    return isinstance(node, ast.Name)


def _value(node: ast.expr, sizes: Mapping[str, int]) -> int:
    if isinstance(node, ast.Constant):
        return int(str(node.value))
    if isinstance(node, ast.Name):
        return sizes[node.id]
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        if node.func.id.lower() == "ceil" and isinstance(node.args[0], ast.BinOp) and isinstance(node.args[0].op, ast.Div):
            return -(-_value(node.args[0].left, sizes) // _value(node.args[0].right, sizes))
        values = [_value(argument, sizes) for argument in node.args]
        return values[0] if len(values) == 1 else _FUNCTIONS[node.func.id.lower()](*values)
    assert isinstance(node, ast.BinOp)
    return _OPERATORS[type(node.op)](_value(node.left, sizes), _value(node.right, sizes))
