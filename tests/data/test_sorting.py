"""Names with numbers in the order in which people look for them."""

from relevance.data.sorting import natural_order


def test_numbers_in_names_count() -> None:
    names = ["M10", "M2", "M0", "M1", "lead-3", "lead-10", "7", "M", "²", "9" * 5000, "M01"]
    assert sorted(names, key=natural_order) == [
        *("7", "9" * 5000, "M", "M0", "M01", "M1", "M2", "M10"),
        *("lead-3", "lead-10", "²"),
    ]
