"""After Fall: ownership, victory, draws [Background]."""

from __future__ import annotations

from .record import Options, Record

__all__ = ["centres", "draw_shares", "end_fall", "still_in"]


def centres(options: Options, record: Record, power: int, posts: bool = True) -> int:
    """Return how many heiaus, and posts unless they do not count, a power owns."""
    return sum(
        owner == power and (posts or bool(options.board.heiaus >> space & 1)) for space, owner in record.owners.items()
    )


def still_in(record: Record, power: int) -> bool:
    """True for a power with a unit, a heiau or a post; any other is out."""
    return power in record.owners.values() or any(unit.power == power for unit in record.units.values())


def end_fall(options: Options, record: Record) -> bool:
    """End a Fall turn: who occupies a heiau or post owns it; then say whether the game is over [Background, R-21, R-22,
    R-23].
    """
    supply = options.board.heiaus | record.posts
    taken = {space: unit.power for space, unit in record.units.items() if supply >> space & 1}
    record.owners = dict(sorted({**record.owners, **taken}.items()))
    powers = range(options.powers)
    counts = [centres(options, record, power, options.posts_win) for power in powers]
    best = max(counts)
    if best >= options.victory and counts.count(best) == 1:
        return _won(options, record, counts.index(best), f"{best} heiaus at the end of Fall [Background]")
    left = [power for power in powers if still_in(record, power)]
    if len(left) == 1:
        return _won(options, record, left[0], "all others are out [R-22]")
    if not left or record.year >= options.last_year:
        record.shares = draw_shares(options, record)
        record.reason = "nobody is left in [R-22]" if not left else f"a draw after year {options.last_year} [R-23]"
        return True
    return False


def _won(options: Options, record: Record, winner: int, reason: str) -> bool:
    record.shares = tuple(float(power == winner) for power in range(options.powers))
    record.reason = reason
    return True


def draw_shares(options: Options, record: Record) -> tuple[float, ...]:
    """Return how a draw is shared among the powers: by the option `scoring`; equally where nobody owns anything."""
    owned = [centres(options, record, power) for power in range(options.powers)]
    weights = {
        "draw_size": [float(count > 0) for count in owned],
        "sum_of_squares": [float(count * count) for count in owned],
        "solo": [1.0] * options.powers,
    }[options.scoring]
    total = sum(weights)
    if not total:
        return tuple([1.0 / options.powers] * options.powers)
    return tuple(weight / total for weight in weights)
