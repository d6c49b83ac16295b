"""Greedy (Akhmetov et al. 2022): cover the reference's vocabulary, then keep the best prefix."""

from relevance.summarizers.oracles.problem import BETTER, Extract, Problem, Solution, solution


def greedy(problem: Problem) -> Solution:
    """Repeatedly take the sentence with the most uncovered words of the reference, until none covers more.

    Words are covered regardless of the n-grams of F1, as in the paper. The result is the extract with the highest F1
    along the way, the shortest of equal ones; the earlier of sentences that cover equally many words goes first.
    Sentences that would break the limits are skipped.
    """
    extract = Extract(problem)
    order: list[int] = []
    best, best_f1 = 0, 0.0
    covered: set[str] = set()
    left = {place for place, words in enumerate(problem.vocabulary) if words and problem.fits([place])}
    while left:
        gains = {place: len(problem.vocabulary[place] - covered) for place in left}
        place = max(left, key=lambda place: (gains[place], -place))
        if not gains[place]:
            break
        left.remove(place)
        if not problem.fits([*order, place]):
            continue
        extract.add(place)
        order.append(place)
        covered |= problem.vocabulary[place]
        if extract.f1 > best_f1 + BETTER:
            best, best_f1 = len(order), extract.f1
    return solution(problem, order[:best], iterations=len(order))


def climb(problem: Problem) -> Solution:
    """Add the sentence that raises F1 most until none does; the earlier of equal ones first.

    This is the usual oracle of extractive training (Nallapati et al. 2017), and a good start for the exact search.
    """
    extract = Extract(problem)
    left = set(problem.useful)
    steps = 0
    while True:
        best, best_f1 = None, extract.f1 + BETTER
        for place in sorted(left):
            if not problem.fits([*extract.chosen, place]):
                continue
            extract.add(place)
            if extract.f1 > best_f1:
                best, best_f1 = place, extract.f1
            extract.remove(place)
        if best is None:
            return solution(problem, extract.chosen, iterations=steps)
        extract.add(best)
        left.remove(best)
        steps += 1
