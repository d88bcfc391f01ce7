"""The order of play: phases, who is asked what, and what follows when all have entered [Calendar, Winter, Haole, Two
Haoles].

Everything works on a `Record`; powers go by their index. Chance and traces are the state's.
"""

from __future__ import annotations

from hawaii_env.heiau.adjudicator import Sight, adjudicate

from .actions import BUILD, DISBAND, DONE, REMOVE, RETREAT, STAY, TO, VOTE
from .board import ARMY, FLEET, Unit, bits
from .ending import end_fall
from .orders import BOATS, CONVOY, HOLD, MOVE, POST, SUPPORT, VIA, Order
from .record import Options, Record, Report

__all__ = [
    "askable",
    "begin",
    "chance_outcomes",
    "enter",
    "fall",
    "hidden",
    "legal",
    "need",
    "open_turn",
    "own_spaces",
    "resolve",
    "retreats",
    "sealed_turn",
    "sight",
    "sites",
    "start_units",
]


def hidden(options: Options, record: Record) -> bool:
    """True while Europeans know neither ballots nor set-up: until all Spring orders of year 1 are in [Haole, Two
    Haoles].
    """
    return bool(options.scenario.ballot) and (
        record.phase in ("assignment", "ballot", "setup")
        or (record.phase == "orders" and record.year == 1 and record.season == 0)
    )


def sealed_turn(record: Record) -> int | None:
    """Return the number of the sealed turn that runs; it does not tell whether there was a second ballot [R-19]."""
    if record.phase == "ballot":
        return 2 if record.ballots else 1
    if record.phase == "adjustments":
        return 5 * record.year + 2
    if record.phase in ("orders", "retreats"):
        return 5 * record.year - 2 + 2 * record.season + (record.phase == "retreats")
    return None


# Beginning


def begin(options: Options) -> Record:
    """Return the beginning of a game, before anybody is asked [Scenarios]."""
    record = Record(unbuilt=options.scenario.europeans)
    if options.random_powers and not options.late:
        record.phase = "assignment"
    else:
        if not options.random_powers:
            record.assignment = tuple(range(options.powers))
        _begin_play(options, record)
    return record


def _begin_play(options: Options, record: Record) -> None:
    if options.scenario.ballot:
        record.phase = "ballot"
    else:
        _set_up(options, record)
    open_turn(options, record)


def start_units(options: Options, setup: int) -> dict[int, Unit]:
    """Return the units at the start, by space; those of the native powers follow the ballot [Haole, Two Haoles]."""
    scenario, at = options.scenario, options.board.space_of
    units = {at[unit.place]: unit for power in scenario.powers for unit in power.units}
    if scenario.ballot and setup >= 0:
        natives = [i for i in range(options.powers) if i not in scenario.europeans]
        for index, power in zip(natives, options.starts[setup].powers, strict=True):
            units.update({at[unit.place]: unit._replace(power=index) for unit in power.units})
    return dict(sorted(units.items()))


def _set_up(options: Options, record: Record) -> None:
    """Place the units; a power owns the heiaus on which it starts [R-05]."""
    record.phase = "orders"
    record.units = start_units(options, record.setup)
    record.owners = {s: unit.power for s, unit in record.units.items() if options.board.heiaus >> s & 1}


# Sealed turns


def open_turn(options: Options, record: Record) -> None:
    """Begin a sealed turn: ask all who have something to decide, in index order."""
    record.entered = [[] for _ in range(options.powers)]
    record.chosen = [[] for _ in range(options.powers)]
    record.half = [-1] * options.powers
    record.firsts, record.sights = {}, {}
    record.queue = askable(options, record)


def askable(options: Options, record: Record) -> list[int]:
    """Return the powers that have something to enter now, in index order."""
    return [power for power in range(options.powers) if legal(options, record, power)]


def sight(options: Options, record: Record, power: int) -> Sight:
    """Return what can be ordered on the board that a power sees [R-20]."""
    partly = bool(options.scenario.ballot) and power in options.scenario.europeans and hidden(options, record)
    found = record.sights.get(partly)
    if found is None:
        units = record.units
        if partly:
            units = {s: unit for s, unit in units.items() if unit.power in options.scenario.europeans}
        free = ~(options.board.heiaus | record.posts)
        found = record.sights[partly] = Sight(options.board, units, free, record.unbuilt)
    return found


def own_spaces(record: Record, power: int) -> list[int]:
    """Return where a power's units are, in table order: the order in which it enters their orders."""
    return [space for space, unit in record.units.items() if unit.power == power]


def legal(options: Options, record: Record, power: int) -> list[int]:
    """Return a power's legal actions in the running turn, ascending; none when it has entered all."""
    act = options.actions
    phase = record.phase
    if phase == "orders":
        at = len(record.chosen[power])
        for space, unit in record.units.items():
            if unit.power == power:
                if at == 0:
                    half = record.half[power]
                    return _first(options, record, power, space) if half < 0 else _second(options, record, power, space)
                at -= 1
        return []
    steps = record.entered[power]
    if phase == "retreats":
        own = [space for space, (unit, _) in record.dislodged.items() if unit.power == power]
        if len(steps) == len(own):
            return []
        return [*(act.of(RETREAT, p) for p in retreats(options, record, own[len(steps)])), act.of(DISBAND)]
    if phase == "adjustments":
        return _adjustments(options, record, power)
    if phase == "ballot":
        voters = len(record.ballots) == 0 or power not in options.scenario.europeans
        return [act.of(VOTE, i) for i in range(2)] if voters and not steps else []
    return []


def _first(options: Options, record: Record, power: int, space: int) -> list[int]:
    """The first actions of an order; a first half only where some second half fits [Armies, Boats, Fleets, Post,
    Convoys].
    """
    found = record.firsts.get(space)
    if found is None:
        act, seen = options.actions, sight(options, record, power)
        found = [act.of(HOLD)]
        found += [act.of(MOVE, place) for place in seen.moves(space)]
        found += [act.of(VIA, place) for place in seen.vias(space)]
        found += [act.of(SUPPORT, source) for source in sorted(seen.supports(space))]
        found += [act.of(CONVOY, source) for source in sorted(seen.convoys(space))]
        found += [act.boats(place) for place in seen.boats(space)]
        if seen.post(space):
            found.append(act.of(POST))
        record.firsts[space] = found
    return found


def _second(options: Options, record: Record, power: int, space: int) -> list[int]:
    act, seen = options.actions, sight(options, record, power)
    verb, source = act.steps[record.half[power]]
    if verb == CONVOY:
        return [act.of(TO, target) for target in bits(seen.convoys(space)[source])]
    targets = seen.supports(space)[source]
    return [act.of(STAY) if target == source else act.of(TO, target) for target in _stay_first(targets, source)]


def _stay_first(targets: int, source: int) -> list[int]:
    found = list(bits(targets & ~(1 << source)))
    return [source, *found] if targets >> source & 1 else found


def enter(options: Options, record: Record, power: int, action: int) -> None:
    """Note a legal action of a power; whoever has entered all leaves the queue."""
    record.entered[power].append(action)
    if record.phase == "orders":
        kind, value = options.actions.steps[action]
        if kind in (SUPPORT, CONVOY):
            record.half[power] = action
        else:
            record.chosen[power].append(_order(options, record, power, kind, value))
            record.half[power] = -1


def _order(options: Options, record: Record, power: int, kind: int, value: int) -> Order:
    """The order that an action makes whole."""
    if kind in (STAY, TO):
        verb, source = options.actions.steps[record.half[power]]
        return Order(verb, source, source if kind == STAY else value)
    if kind == BOATS:
        space = own_spaces(record, power)[len(record.chosen[power])]
        act, action = options.actions, options.actions.of(BOATS, value)
        return Order(BOATS, -1, next(p for p in options.board.standing(space) if act.boats(p) == action))
    return Order(kind, -1, value)


def resolve(options: Options, record: Record) -> None:
    """All have entered: do what follows, up to the next phase that asks or rolls."""
    if record.phase == "ballot":
        _count_ballots(options, record)
    elif record.phase == "orders":
        if hidden(options, record) and record.setup < 0:
            record.phase = "setup"  # a copy for search: who has entered did not know the start
        else:
            _move(options, record)
    elif record.phase == "retreats":
        _retreat(options, record)
    else:
        _adjust(options, record)
        record.year, record.season, record.phase = record.year + 1, 0, "orders"
        open_turn(options, record)


# Ballots [Haole, Two Haoles]


def _count_ballots(options: Options, record: Record) -> None:
    act = options.actions
    votes = tuple(act.steps[steps[0]][1] if steps else -1 for steps in record.entered)
    if record.ballots:
        record.second = votes
    else:
        record.ballots = votes
        if options.random_powers and len(record.assignment) < options.powers:
            record.phase = "assignment"
            open_turn(options, record)
            return
    _after_ballots(options, record)


def _after_ballots(options: Options, record: Record) -> None:
    """The start with more votes; six who are level vote again without the Europeans, four by lot [R-19]."""
    votes = record.second or record.ballots
    ones, zeros = votes.count(1), votes.count(0)
    if ones == zeros:
        record.phase = "setup" if record.second else "ballot"
        open_turn(options, record)
        return
    _choose_start(options, record, int(ones > zeros))


def _choose_start(options: Options, record: Record, setup: int) -> None:
    record.setup = setup
    _set_up(options, record)
    open_turn(options, record)


# Chance


def chance_outcomes(options: Options, record: Record) -> list[int]:
    """Return what the chance node's outcomes are, each as likely as the others [R-19, R-24]."""
    if record.phase == "setup":
        return [0, 1]
    return [power for power in range(options.powers) if power not in record.assignment]


def fall(options: Options, record: Record, outcome: int) -> None:
    """Let chance fall: the lot of a level ballot, or the next player's power."""
    if record.phase == "setup":
        entered, chosen = record.entered, record.chosen
        _choose_start(options, record, outcome)
        # In a copy for search a European has entered its orders already; the others follow.
        for power, steps in enumerate(entered):
            record.entered[power], record.chosen[power] = steps, chosen[power]
        record.queue = askable(options, record)
        return
    record.assignment = (*record.assignment, outcome)
    if len(record.assignment) == options.powers:
        if record.ballots:
            votes = record.ballots
            record.ballots = tuple(votes[record.assignment.index(power)] for power in range(options.powers))
            _after_ballots(options, record)
        else:
            _begin_play(options, record)


# Movement and retreats


def _move(options: Options, record: Record) -> None:
    """A movement phase: adjudicate, report, set the dislodged aside [Background]."""
    orders: dict[int, Order] = {}
    for power in range(options.powers):
        orders.update(zip(own_spaces(record, power), record.chosen[power], strict=True))
    units = record.units
    found = adjudicate(options.board, units, orders)
    record.last = tuple(
        Report(
            unit,
            orders[space],
            units[orders[space].source].kind if orders[space].source in units else -1,
            found.success[space],
            space in found.dislodged,
            space in found.burned,
        )
        for space, unit in units.items()
    )
    record.units, record.contested = found.units, found.contested
    if found.posts:
        record.posts |= sum(1 << space for space in found.posts)
        record.owners = dict(sorted({**record.owners, **found.posts}.items()))
        record.unbuilt -= frozenset(found.posts.values())
    record.dislodged = found.dislodged
    record.dislodged = {space: out for space, out in found.dislodged.items() if retreats(options, record, space)}
    record.phase = "retreats"
    if record.dislodged:
        open_turn(options, record)
    else:
        _after_retreats(options, record)


def retreats(options: Options, record: Record, space: int) -> list[int]:
    """Return the places that a dislodged unit may retreat to [Background, Boats 3, R-15].

    It reaches them by itself; they are empty, not where its attacker marched or sailed from, and not contested. A unit
    goes as what it is now: whose boats burned goes by land [R-26].
    """
    unit, attacker = record.dislodged[space]
    board = options.board
    return [
        place
        for place in board.moves[unit.kind][unit.place]
        if (at := board.space_of[place]) not in record.units and at != attacker and not record.contested >> at & 1
    ]


def _retreat(options: Options, record: Record) -> None:
    """Retreats are made at once; two or more to one space are all disbanded [R-16]. Inland, boats burn [Boats 3]."""
    board, act = options.board, options.actions
    going: dict[int, list[Unit]] = {}
    waiting = [iter(steps) for steps in record.entered]
    for unit, _ in record.dislodged.values():
        kind, place = act.steps[next(waiting[unit.power])]
        if kind == RETREAT:
            at = board.space_of[place]
            inland = unit.kind != FLEET and bool(board.inland[unit.place] >> at & 1)
            going.setdefault(at, []).append(Unit(ARMY if inland else unit.kind, unit.power, place))
    arrived = {at: units[0] for at, units in going.items() if len(units) == 1}
    record.units = dict(sorted({**record.units, **arrived}.items()))
    _after_retreats(options, record)


def _after_retreats(options: Options, record: Record) -> None:
    record.dislodged, record.contested = {}, 0
    if record.season == 0:
        record.season, record.phase = 1, "orders"
    elif end_fall(options, record):
        record.phase, record.queue, record.entered = "over", [], []
        return
    else:
        record.phase = "adjustments"
    open_turn(options, record)


# Winter


def need(record: Record, power: int) -> int:
    """Return how many armies a power may build, or, below zero, how many units it must remove [Winter, Fleets].

    Heiaus and posts that it owns, less its armies and bunches; a fleet does not count.
    """
    owned = sum(owner == power for owner in record.owners.values())
    return owned - sum(unit.power == power and unit.kind != FLEET for unit in record.units.values())


def sites(record: Record, power: int) -> list[int]:
    """Return the heiaus and posts that a power owns and no unit occupies, in table order [Winter, R-17]."""
    return sorted(s for s, owner in record.owners.items() if owner == power and s not in record.units)


def _adjustments(options: Options, record: Record, power: int) -> list[int]:
    """Builds one by one, in any order, or done; or removals one by one, never of a fleet [Winter, R-17, R-18]."""
    act, steps = options.actions, record.entered[power]
    wanted = need(record, power)
    if wanted > 0:
        if len(steps) >= wanted or (steps and steps[-1] == act.of(DONE)):
            return []
        left = [act.of(BUILD, s) for s in sites(record, power)]
        left = [action for action in left if action not in steps]
        return [*left, act.of(DONE)] if left else []
    if len(steps) >= -wanted:
        return []
    units = [act.of(REMOVE, s) for s, unit in record.units.items() if unit.power == power and unit.kind != FLEET]
    return [action for action in units if action not in steps]


def _adjust(options: Options, record: Record) -> None:
    board, act = options.board, options.actions
    units = dict(record.units)
    for power, steps in enumerate(record.entered):
        for action in steps:
            kind, space = act.steps[action]
            if kind == BUILD:
                units[space] = Unit(ARMY, power, board.bare[space])
            elif kind == REMOVE:
                del units[space]
    record.units = dict(sorted(units.items()))
