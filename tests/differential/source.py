"""The source of the generator's choices."""

from hypothesis import strategies


class Source:
    """Choices of one hypothesis example. Shrinking prefers the first of several."""

    def __init__(self, draw):
        self._draw = draw

    def integer(self, low, high):
        return low if low == high else self._draw(strategies.integers(low, high))

    def pick(self, choices):
        """One of a list that is not empty."""
        return choices[self.integer(0, len(choices) - 1)]

    def weighted(self, choices):
        """One of (weight, choice)."""
        position = self.integer(0, sum(weight for weight, _ in choices) - 1)
        for weight, choice in choices:
            if position < weight:
                return choice
            position -= weight
        raise AssertionError("weights do not add up")

    def one_in(self, number):
        """True once in `number` times."""
        return self.integer(0, number - 1) == number - 1
