"""Which definitions depend on which: groups of definitions that need each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def components(
    roots: Iterable[int], successors: Callable[[int], Iterable[int]]
) -> list[tuple[int, ...]]:
    """Strongly connected components, each after all that it leads to (Tarjan, iterative)."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[tuple[int, ...]] = []
    for root in roots:
        if root in order:
            continue
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        walk = [(root, iter(successors(root)))]
        while walk:
            node, rest = walk[-1]
            following = next(rest, None)
            if following is None:
                walk.pop()
                if walk:
                    parent = walk[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == order[node]:
                    cut = stack.index(node)
                    found.append(tuple(stack[cut:]))
                    on_stack.difference_update(stack[cut:])
                    del stack[cut:]
            elif following not in order:
                order[following] = low[following] = len(order)
                stack.append(following)
                on_stack.add(following)
                walk.append((following, iter(successors(following))))
            elif following in on_stack:
                low[node] = min(low[node], order[following])
    return found


def is_circular(group: tuple[int, ...], successors: Callable[[int], Iterable[int]]) -> bool:
    """Whether the members of a component lead to themselves."""
    return len(group) > 1 or any(key in successors(key) for key in group)
