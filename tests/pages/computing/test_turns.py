"""A line in which those wait for whom there is no room yet."""

from contextlib import ExitStack

import pytest

from relevance.pages.computing.turns import Turns


@pytest.mark.parametrize("at_once", [1, 2])
def test_who_came_first_goes_first_and_who_leaves_makes_room(at_once: int) -> None:
    turns, standing = Turns(at_once), [ExitStack() for _ in range(4)]
    counts = [stack.enter_context(turns.stand_in_line()) for stack in standing]
    assert [count() for count in counts] == [max(0, place + 1 - at_once) for place in range(4)]
    standing[2].close()  # who gave up
    assert [counts[place]() for place in (0, 1, 3)] == [max(0, place + 1 - at_once) for place in range(3)]
    standing[0].close()
    assert counts[1]() == 0
    standing[1].close()
    assert counts[3]() == 0
    standing[3].close()
    assert turns.line == []
