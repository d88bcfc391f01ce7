"""[Background, Boats, Convoys] What becomes of orders: section 4, by trying out answers.

The equations of section 4.2 are questions with the answers yes and no: does this unit move, has it a path, is it
dislodged, is its support given. A question whose answer is the same whatever the open ones turn out to be is settled.
Where nothing settles any more, the questions of the smallest circle are answered in every possible way, and what
agrees with itself is looked for: one way is the answer; none or several are the two cases of the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from .board import Board, Unit, Units
from .orders import Order, is_route

Question = tuple[str, str]
"""What is asked of the unit in a space: moves, path, dislodged or given."""

Answers = Mapping[Question, bool]


class Open(Exception):
    """An equation needs an answer that is still open."""

    def __init__(self, question: Question) -> None:
        super().__init__(question)
        self.question = question


class Equations:
    """Section 4.2: every question with its equation."""

    def __init__(self, board: Board, units: Units, orders: Mapping[str, Order]) -> None:
        self.board, self.units, self.orders = board, units, orders
        movers = [space for space in units if orders[space].moving]
        self.into: dict[str, list[str]] = {}
        for space in movers:
            self.into.setdefault(orders[space].space, []).append(space)
        self.questions: list[Question] = [("path", space) for space in movers]
        self.questions += [("given", space) for space in units if orders[space].verb == "support"]
        self.questions += [("dislodged", space) for space in units]
        self.questions += [("moves", space) for space in movers]
        self.answers: Answers = {}
        self.circles = self.paradoxes = 0

    def value(self, question: Question, answers: Answers) -> bool:
        """One equation, given answers to others; Open if one that it needs is missing."""
        self.answers = answers
        what, space = question
        return bool(getattr(self, "is_" + what)(space))

    def ask(self, what: str, space: str) -> bool:
        """The answer to another question."""
        try:
            return self.answers[what, space]
        except KeyError:
            raise Open((what, space)) from None

    # The words of the page

    def moving(self, space: str) -> bool:
        """The unit there has a move or a `via` order."""
        return space in self.orders and self.orders[space].moving

    def leaves(self, space: str) -> bool:
        """It has such an order, and it succeeds."""
        return self.moving(space) and self.ask("moves", space)

    def is_path(self, space: str) -> bool:
        """A plain move has a path; a convoyed one if a chain of fleets, so ordered and not dislodged, is there."""
        order = self.orders[space]
        if order.verb == "move":
            return True
        assert order.target is not None
        wanted = Order("convoy", order.space, space)
        fleets = [fleet for at, fleet in self.units.items() if self.orders[at] == wanted]
        if not is_route(self.board, self.units[space], order.target, fleets):
            return False
        left = [fleet for fleet in fleets if not self.ask("dislodged", fleet.space)]
        return is_route(self.board, self.units[space], order.target, left)

    def opponent(self, space: str) -> str | None:
        """Where the head-to-head opponent of a move is: both march or sail into each other's space."""
        there = self.orders[space].space
        other = self.orders.get(there)
        if self.orders[space].verb == "move" and other is not None and other.verb == "move" and other.space == space:
            return there
        return None

    def backing(self, space: str, without: str | None = None) -> int:
        """The supports of a unit that are given and fit its order, less those of the power `without`."""
        order = self.orders[space]
        wanted = Order("support", order.space if order.moving else None, space)
        return sum(
            self.units[at].power != without and self.ask("given", at)
            for at, given in self.orders.items()
            if given == wanted
        )

    def hold_strength(self, space: str) -> int:
        """How a space holds out."""
        if space not in self.units or self.leaves(space):
            return 0
        return 1 if self.moving(space) else 1 + self.backing(space)

    def attack_strength(self, space: str) -> int:
        """How hard a move attacks its target."""
        if not self.ask("path", space):
            return 0
        target = self.orders[space].space
        if target not in self.units or (self.opponent(space) is None and self.leaves(target)):
            return 1 + self.backing(space)
        if self.units[target].power == self.units[space].power:
            return 0
        return 1 + self.backing(space, self.units[target].power)

    def prevent_strength(self, space: str) -> int:
        """How hard a move keeps others out of its target."""
        if not self.ask("path", space):
            return 0
        against = self.opponent(space)
        if against is not None and self.ask("moves", against):
            return 0
        return 1 + self.backing(space)

    def defend_strength(self, space: str, against: str) -> int:
        """How a move withstands its head-to-head opponent."""
        return 1 + self.backing(space)

    def is_moves(self, space: str) -> bool:
        """A move succeeds."""
        target, against = self.orders[space].space, self.opponent(space)
        attack = self.attack_strength(space)
        if attack <= (self.hold_strength(target) if against is None else self.defend_strength(against, space)):
            return False
        return all(attack > self.prevent_strength(other) for other in self.into[target] if other != space)

    def is_dislodged(self, space: str) -> bool:
        """Another comes, and it does not go."""
        return not self.leaves(space) and any(self.ask("moves", other) for other in self.into.get(space, ()))

    def attacked(self, space: str, but_from: str | None = None) -> bool:
        """R-12: a unit of another power moves there, with a path."""
        return any(
            self.units[other].power != self.units[space].power and other != but_from and self.ask("path", other)
            for other in self.into.get(space, ())
        )

    def fits(self, space: str) -> bool:
        """Section 4.3: the supported unit does what the support is for."""
        order = self.orders[space]
        supported = self.orders.get(order.source or "")
        return supported is not None and (supported.space if supported.moving else None) == order.target

    def is_given(self, space: str) -> bool:
        """A support is given."""
        order = self.orders[space]
        target = order.source if order.target is None else order.space
        return self.fits(space) and not self.attacked(space, but_from=target) and not self.ask("dislodged", space)


def outcomes(equations: Equations, question: Question, answers: Answers, depth: int) -> set[bool]:
    """What may come out, trying both answers to each open question that is needed, `depth` of them at most."""
    try:
        return {equations.value(question, answers)}
    except Open as missing:
        if depth == 0:
            return {False, True}
        found: set[bool] = set()
        for answer in (False, True):
            found |= outcomes(equations, question, {**answers, missing.question: answer}, depth - 1)
            if len(found) == 2:
                break
        return found


def settle(equations: Equations, answers: dict[Question, bool]) -> None:
    """Answer whatever is the same in every case, the easy ones first."""
    for depth in (0, 3, 99):
        found = True
        while found:
            found = False
            for question in equations.questions:
                if question not in answers:
                    possible = outcomes(equations, question, answers, depth)
                    if len(possible) == 1:
                        answers[question] = possible.pop()
                        found = True
            if found and depth > 0:
                return settle(equations, answers)


def needed(equations: Equations, question: Question, answers: Answers) -> set[Question]:
    """The open questions whose answer can change this one's."""
    read: set[Question] = set()

    def explore(given: Answers) -> None:
        try:
            equations.value(question, given)
        except Open as missing:
            read.add(missing.question)
            for answer in (False, True):
                explore({**given, missing.question: answer})

    explore(answers)
    ordered = sorted(read)
    found: set[Question] = set()
    for values in product((False, True), repeat=len(ordered)):
        guess = {**answers, **dict(zip(ordered, values, strict=True))}
        value = equations.value(question, guess)
        found |= {other for other in ordered if equations.value(question, {**guess, other: not guess[other]}) != value}
    return found


def smallest_circle(equations: Equations, answers: Answers) -> list[Question]:
    """The smallest set of open questions that needs no open one outside it."""
    unsettled = [question for question in equations.questions if question not in answers]
    direct = {question: needed(equations, question, answers) for question in unsettled}
    circles: list[set[Question]] = []
    for question in unsettled:
        reached, frontier = {question}, [question]
        while frontier:
            for other in direct[frontier.pop()] - reached:
                reached.add(other)
                frontier.append(other)
        circles.append(reached)
    smallest = min(circles, key=len)
    return [question for question in unsettled if question in smallest]


def consistent(equations: Equations, questions: list[Question], answers: Answers) -> list[dict[Question, bool]]:
    """Every way to answer these questions that agrees with all their equations."""
    found: list[dict[Question, bool]] = []
    for values in product((False, True), repeat=len(questions)):
        guess = dict(zip(questions, values, strict=True))
        if all(equations.value(question, {**answers, **guess}) == guess[question] for question in questions):
            found.append(guess)
    return found


def solve(equations: Equations) -> dict[Question, bool]:
    """All answers."""
    answers: dict[Question, bool] = {}
    settle(equations, answers)
    while len(answers) < len(equations.questions):
        circle = smallest_circle(equations, answers)
        ways = consistent(equations, circle, answers)
        convoyed = [question for question in circle if question[0] == "path"]
        if len(ways) == 1:
            answers.update(ways[0])
        elif convoyed:
            equations.paradoxes += 1
            answers.update(dict.fromkeys(convoyed, False))
        else:
            equations.circles += 1
            answers.update({question: True for question in circle if question[0] == "moves"})
        settle(equations, answers)
    return answers


@dataclass
class Result:
    """Sections 4.4 to 4.6. Spaces are those where units stood when the phase began, but in `units`, after movement.

    `dislodged`: the unit as it is now, and the space from which its attacker came, None after a convoy. `circles`,
    `paradoxes`: how often each of the two cases of the page arose.
    """

    success: dict[str, bool]
    burned: set[str]
    dislodged: dict[str, tuple[Unit, str | None]]
    units: Units
    contested: set[str]
    posts: set[str]
    answers: dict[Question, bool]
    circles: int
    paradoxes: int


def burns(board: Board, unit: Unit, order: Order) -> bool:
    """[Boats 3] Section 3.4: a bunch that is ordered inland, or to support into an inland space, burns its boats."""
    if unit.kind != "B" or order.verb not in ("move", "support"):
        return False
    where = order.source if order.target is None else order.space
    return where in board.inland_of(unit)


def adjudicate(board: Board, units: Units, orders: Mapping[str, Order], rules: type[Equations] = Equations) -> Result:
    """Section 4.1, up to the retreats. Every unit has an order; `rules`: other equations, to explain other engines."""
    burned = {space for space, unit in units.items() if burns(board, unit, orders[space])}
    now = {space: unit.army() if space in burned else unit for space, unit in units.items()}
    equations = Equations(board, now, orders)
    answers = solve(equations)
    equations.answers = answers
    gone = {space for space in units if equations.leaves(space)}
    dislodged: dict[str, tuple[Unit, str | None]] = {}
    after: Units = {}
    success: dict[str, bool] = {}
    posts: set[str] = set()
    for space, unit in now.items():
        order = orders[space]
        out = answers["dislodged", space]
        success[space] = not out
        if order.moving:
            success[space] = space in gone
        elif order.verb == "support":
            success[space] = answers["given", space]
        elif order.verb in ("boats", "post"):
            success[space] = not equations.attacked(space)
        if space in gone:
            assert order.target is not None
            after[order.space] = Unit(unit.kind, unit.power, order.target)
        elif out:
            (attacker,) = (other for other in equations.into[space] if other in gone)
            dislodged[space] = (unit, attacker if orders[attacker].verb == "move" else None)
        elif order.verb == "boats" and success[space]:
            assert order.target is not None
            after[space] = Unit("B", unit.power, order.target)
        else:
            after[space] = unit
        if order.verb == "post" and success[space]:
            posts.add(space)
    failed = [space for space in units if orders[space].moving and space not in gone]
    contested = {orders[space].space for space in failed if equations.prevent_strength(space) >= 1} - set(after)
    return Result(success, burned, dislodged, after, contested, posts, answers, equations.circles, equations.paradoxes)
