"""From the text of a condition to its tree, by descent; nothing is executed.

    condition   = conjunction {"or" conjunction}
    conjunction = negation {"and" negation}
    negation    = "not" negation | comparison
    comparison  = sum {("<" | "<=" | ">" | ">=" | "==" | "!=") sum}
    sum         = product {("+" | "-") product}
    product     = signed {("*" | "/") signed}
    signed      = ("-" | "+") signed | number | name | function "(" sum {"," sum} ")" | "(" condition ")"

The same brackets hold numbers and conditions, so each node knows which of them it is; a whole text is a condition.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable
from typing import NoReturn

from freefloat.campaign.conditions import COMPARISONS, FUNCTIONS, Kind, Node
from freefloat.errors import InputError

LONGEST = 2000  # [characters] of a criterion
DEEPEST = 40  # levels of brackets, signs and negations

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.]))"
    r"|(?P<name>[A-Za-z_]\w*(?:\.\w+)*)|(?P<sign><=|>=|==|!=|[-+*/(),<>]))",
    re.ASCII,
)
_HINTS = {"=": "==", "&": "and", "|": "or", "!": "not or !=", "^": "a * a", "%": "a number without a unit"}
_WORDS = ("and", "or", "not", *FUNCTIONS)


class ConditionParser:
    """Descends the grammar above; every refusal has its column."""

    def __init__(self, text: str, known: list[str] | None) -> None:
        self.text, self.known = text, known
        self.names: list[str] = []
        self.depth = 0
        if len(text) > LONGEST:
            raise InputError(f"criterion of {len(text)} characters; allowed: {LONGEST}")
        self.tokens = self._tokens()  # kind, text and place; the last is the end
        self.next = 0

    def refuse(self, at: int, message: str) -> NoReturn:
        shown = self.text if self.text.isprintable() else ascii(self.text)
        raise InputError(f"criterion {shown!r}: column {at + 1}: {message}")

    def _tokens(self) -> list[tuple[str, str, int]]:
        found: list[tuple[str, str, int]] = []
        at, end = 0, len(self.text.rstrip())
        while at < end:
            match = _TOKEN.match(self.text, at)
            if match is None:
                at += len(self.text[at:]) - len(self.text[at:].lstrip())
                sign = self.text[at]
                hint = f"; write {_HINTS[sign]}" if sign in _HINTS else ""
                self.refuse(at, f"{sign!a} is not known{hint}; allowed: names, numbers, < <= > >= == !=, and or not")
            kind = str(match.lastgroup)
            found.append((kind, match[kind], match.start(kind)))
            at = match.end()
        return [*found, ("end", "", end)]

    @property
    def token(self) -> tuple[str, str, int]:
        return self.tokens[self.next]

    def take(self, *allowed: str) -> str:
        """The next sign or word where it is one of these, else an empty text."""
        kind, text, _ = self.token
        if kind != "number" and text in allowed and kind != "end":
            self.next += 1
            return text
        return ""

    def whole(self) -> Node:
        node = self.condition()
        kind, text, at = self.token
        if kind != "end":
            self.refuse(at, f"{text!r} is not expected here; allowed: and, or, a comparison, or the end")
        self.of_kind(node, "condition")
        if not self.names:
            self.refuse(node.at, "no metric in it, so that it says nothing about a case; allowed: name < 3")
        return node

    def of_kind(self, node: Node, kind: Kind) -> Node:
        if node.kind != kind and kind == "condition":
            what = (
                f"{node.what} == 1" if isinstance(node.what, str) and not node.parts else "a comparison, such as a < 3"
            )
            self.refuse(node.at, f"a number where a condition is needed; allowed: {what}")
        if node.kind != kind:
            self.refuse(node.at, "a condition where a number is needed; allowed: a metric, a number or arithmetic")
        return node

    def condition(self) -> Node:
        return self._joined("or", self.conjunction)

    def conjunction(self) -> Node:
        return self._joined("and", self.negation)

    def _joined(self, word: str, part: Callable[[], Node]) -> Node:
        nodes = [part()]
        while self.take(word):
            nodes.append(part())
        if len(nodes) == 1:
            return nodes[0]
        return Node("condition", nodes[0].at, word, tuple(self.of_kind(node, "condition") for node in nodes))

    def negation(self) -> Node:
        at = self.token[2]
        if not self.take("not"):
            return self.comparison()
        with_inner = self.deeper(self.negation)
        return Node("condition", at, "not", (self.of_kind(with_inner, "condition"),))

    def comparison(self) -> Node:
        left = self.sum()
        found: list[Node] = []
        while sign := self.take(*COMPARISONS):
            right = self.sum()
            pair = (self.of_kind(left, "number"), self.of_kind(right, "number"))
            found.append(Node("condition", left.at, sign, pair))
            left = right
        if len(found) > 1:  # 0 < a < 3
            return Node("condition", found[0].at, "and", tuple(found))
        return found[0] if found else left

    def sum(self) -> Node:
        return self._folded(("+", "-"), self.product)

    def product(self) -> Node:
        return self._folded(("*", "/"), self.signed)

    def _folded(self, signs: tuple[str, ...], part: Callable[[], Node]) -> Node:
        node, count = part(), 0
        while sign := self.take(*signs):
            count += 1
            if count + self.depth > DEEPEST:
                self.refuse(node.at, f"too many terms; allowed: {DEEPEST}")
            other = part()
            node = Node("number", node.at, sign, (self.of_kind(node, "number"), self.of_kind(other, "number")))
        return node

    def signed(self) -> Node:
        at = self.token[2]
        sign = self.take("-", "+")
        if not sign:
            return self.atom()
        inner = self.of_kind(self.deeper(self.signed), "number")
        return inner if sign == "+" else Node("number", at, "-", (inner,))

    def atom(self) -> Node:
        kind, text, at = self.token
        if self.take("("):
            inner = self.deeper(self.condition)
            self.close()
            return inner
        if kind == "number":
            self.next += 1
            number = float(text)
            if math.isinf(number):
                self.refuse(at, f"{text} is too large for a float")
            return Node("number", at, number)
        if kind == "name" and text in FUNCTIONS:
            return self.call(text, at)
        if kind != "name" or text in _WORDS:
            self.refuse(at, f"{text!r} where a metric or a number is needed" if text else "it ends too early")
        self.next += 1
        return Node("number", at, self.named(text, at))

    def named(self, name: str, at: int) -> str:
        if self.known is not None and name not in self.known:
            near = difflib.get_close_matches(name, self.known, n=1, cutoff=0.5)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            shown = ", ".join(difflib.get_close_matches(name, self.known, n=12, cutoff=0.0))
            self.refuse(at, f"unknown metric {name!r}.{hint} Valid: {shown or '(none)'}")
        self.names.append(name)
        return name

    def call(self, name: str, at: int) -> Node:
        self.next += 1
        if not self.take("("):
            self.refuse(self.token[2], f"allowed after {name}: values in brackets, {name}(...)")
        parts = [self.of_kind(self.deeper(self.condition), "number")]
        while self.take(","):
            parts.append(self.of_kind(self.deeper(self.condition), "number"))
        self.close()
        _, least, most = FUNCTIONS[name]
        if not least <= len(parts) <= most:
            self.refuse(
                at, f"{name} of {len(parts)} values; allowed: {least if least == most else f'{least} to {most}'}"
            )
        return Node("number", at, name, tuple(parts))

    def close(self) -> None:
        if not self.take(")"):
            _, text, at = self.token
            self.refuse(at, f"{text!r} where ')' is needed" if text else "a bracket is not closed")

    def deeper(self, part: Callable[[], Node]) -> Node:
        self.depth += 1
        if self.depth > DEEPEST:
            self.refuse(self.token[2], f"nested too deeply; allowed: {DEEPEST} levels")
        node = part()
        self.depth -= 1
        return node
