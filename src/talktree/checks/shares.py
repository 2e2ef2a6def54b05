"""A source of many conversations, judged by several processes.

Each takes some conversations at a time. What comes back is what they found, the facts that rules
for the whole source ask for, and how much can be reached; it is joined in the order of the
conversations.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from contextlib import closing

from talktree.checks.account import Account
from talktree.checks.reachability import Reach, reach
from talktree.formats.talk import Talk
from talktree.parallel.ordered_map import in_order

A_SHARE = 2000
"""How many records a process takes at once, or one conversation."""
MOST_SHARES = 4000


def by_shares(account: Account, talks: Sequence[Talk], processes: int) -> Reach:
    """Take into account what is found in conversations, by so many processes; gives back how much
    of them can be reached."""
    shares = _shares(talks)

    def make(number: int) -> bytes:
        """One share, with an account of its own."""
        mine = account.anew()
        for talk in shares[number]:
            mine.take(mine.judge.of(talk))
        facts = [talk.facts for talk in shares[number]]
        reached = reach(talk.conversation for talk in shares[number])
        return pickle.dumps((mine.counts, mine.shown, facts, reached), pickle.HIGHEST_PROTOCOL)

    total = Reach()
    with closing(in_order(make, len(shares), processes)) as made:
        for share, data in zip(shares, made, strict=True):
            # It comes from a copy of this process, through a pipe that nobody else has.
            counts, shown, facts, reached = pickle.loads(data)
            account.join(counts, shown)
            total = total.plus(reached)
            for talk, known in zip(share, facts, strict=True):
                talk.facts = known
    return total


def _shares(talks: Sequence[Talk]) -> list[list[Talk]]:
    total = sum(talk.conversation.record_count for talk in talks)
    enough = max(A_SHARE, total // MOST_SHARES + 1)
    shares: list[list[Talk]] = [[]]
    size = 0
    for talk in talks:
        if size >= enough:
            shares.append([])
            size = 0
        shares[-1].append(talk)
        size += talk.conversation.record_count
    return shares
