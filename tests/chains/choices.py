"""The source of the generator's choices: random ones, or those of an earlier graph with changes, for shrinking."""

import random


class Choices:
    """Choices of one graph by a random generator. `made` records them: each is a number from 0 on, and 0 is the simplest."""

    def __init__(self, seed):
        self._random = random.Random(seed)
        self.made = []

    def integer(self, low, high):
        number = self._next(high - low + 1)
        self.made.append(number)
        return low + number

    def _next(self, count):
        return self._random.randrange(count)

    def pick(self, choices):
        """One of a list that is not empty. Shrinking prefers the first one."""
        return choices[self.integer(0, len(choices) - 1)]

    def one_in(self, number):
        """True once in `number` times."""
        return self.integer(0, number - 1) == number - 1

    def shuffled(self, items):
        items = list(items)
        for index in range(len(items) - 1):
            other = self.integer(index, len(items) - 1)
            items[index], items[other] = items[other], items[index]
        return items


class Replay(Choices):
    """The choices of an earlier graph. After their end, each choice is the simplest one."""

    def __init__(self, made):
        super().__init__(0)
        self._given = list(made)

    def _next(self, count):
        return min(self._given[len(self.made)], count - 1) if len(self.made) < len(self._given) else 0
