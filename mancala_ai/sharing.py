"""Arrays of independent items shared out among threads, for kernels that release the interpreter's lock."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any


def share(threads: int, n: int, least: int, function: Callable[..., Any], rules: Any, *arguments: Any) -> list[Any]:
    """Calls ``function(rules, first, last, *arguments)`` for ranges that together are 0 to n, in one thread each.

    Args:
        threads: how many at most; fewer if there are too few items for each.
        n: number of items.
        least: items below which a thread of its own would cost more than it saves (some 50 microseconds).
        function: a kernel that works on the items ``first .. last - 1`` and writes to no others.
        rules: a ruleset.
        *arguments: the rest of its arguments.

    Returns:
        What each call returned, in the order of the ranges.
    """
    shares = max(1, min(threads, n // least))
    if shares == 1:
        return [function(rules, 0, n, *arguments)]
    # First with no item at all, so that it is compiled here, and not in several threads at once.
    function(rules, 0, 0, *arguments)
    ends = [n * number // shares for number in range(shares + 1)]
    calls = [functools.partial(function, rules, first, last, *arguments) for first, last in pairwise(ends)]
    others = [_pool(shares - 1).submit(call) for call in calls[1:]]
    return [calls[0](), *(other.result() for other in others)]


@functools.cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="mancala-ai")


# A forked child has none of its parent's threads, and would wait for them for ever.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)
