"""[P1-W] A whole game: ask what may be done, tell what was done or what fell.

Everything that a position is stands in the attributes of `Referee` and `Player`; what comes next follows from them, so
that a game may begin in any position.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from .data import CHAPTERS, ISLANDS, MAJORITIES, SETS, STAGES, TRACKS, Amounts, Card, Rules

CHANCE_PHASES = ("first_player", "event", "die")


@dataclass
class Player:
    """[SU] What a player has.

    Attributes:
        tokens, actions: Pure Hawaiian and Action tokens by island.
        tracks: Commerce, Aloha, Warriors and Home Rule tokens.
        cards: Royal Family cards, as `chapter_1 oahu`.
        moves: actions of the Prologue left.
        converted: conversions made.
    """

    name: str
    points: int = 0
    tokens: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ISLANDS, 0))
    actions: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ISLANDS, 0))
    tracks: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TRACKS, 0))
    cards: set[str] = field(default_factory=set)
    moves: int = 0
    converted: int = 0

    @property
    def hawaiian(self) -> int:
        """[R-02] The Pure Hawaiian marker."""
        return sum(self.tokens.values())

    @property
    def action_count(self) -> int:
        """[TO] Action tokens left."""
        return sum(self.actions.values())

    def present(self, island: str) -> bool:
        """[C2e] A token is there."""
        return self.tokens[island] > 0

    def amount(self, resource: str) -> int:
        """[C4, E3] How much of a resource he has."""
        return self.hawaiian if resource == "hawaiian" else self.tracks[resource]

    def can_pay(self, amounts: Amounts, island: str) -> bool:
        """[C2e] In full, `hawaiian` from this island."""
        return all(
            number <= (self.tokens[island] if resource == "hawaiian" else self.tracks[resource])
            for resource, number in amounts.items()
        )

    def pay(self, amounts: Amounts, island: str) -> None:
        """[C2e] `hawaiian` goes from this island to the pool."""
        for resource, number in amounts.items():
            if resource == "hawaiian":
                self.tokens[island] -= number
            else:
                self.tracks[resource] -= number

    def receive(self, amounts: Amounts, island: str, rules: Rules) -> None:
        """[C2r, C2e] `hawaiian` from the pool to this island, as far as it goes (R-12); tracks end (R-11)."""
        for resource, number in amounts.items():
            if resource == "hawaiian":
                self.tokens[island] += min(number, rules.stock - self.hawaiian)
            else:
                self.tracks[resource] = min(self.tracks[resource] + number, rules.track_end)

    def copy(self) -> Player:
        """Shares nothing."""
        return Player(
            self.name, self.points, dict(self.tokens), dict(self.actions), dict(self.tracks), set(self.cards),
            self.moves, self.converted,
        )  # fmt: skip


class Referee:
    """[P1-W] One game.

    Attributes:
        rules: the numbers.
        players: in index order.
        stage, phase: as in a view.
        decider: index of who decides, or None at a chance node and at the end.
        first: who acts first in the stage; None before the first player is known.
        order: indices in the order of play; in a chapter by `most_left` the order of ties.
        acted: who acted last in the stage; settling counts until all have, converting when it is finished.
        king: who holds the King/Queen token.
        face_up, deck: event cards by number.
        migration: from and to, while an amount is chosen.
        left, totals: dice still to roll, and what fell so far, by player.
        told: everything that happened: who (an index, or the kind of chance), in words, and whether it was forced.
    """

    def __init__(self, rules: Rules, names: Iterable[str], turn_order: str = "most_left") -> None:
        self.rules, self.turn_order = rules, turn_order
        self.players = [Player(name) for name in names]
        self.stage, self.phase = "prologue", "first_player"
        self.decider: int | None = None
        self.first: int | None = None
        self.order: list[int] = []
        self.acted: int | None = None
        self.king: int | None = None
        self.face_up: list[int | None] = [None] * rules.slots
        self.deck: set[int] = set()
        self.migration: tuple[str, str] | None = None
        self.left: list[int] = []
        self.totals: list[int] = []
        self.told: list[tuple[int | str, str, bool]] = []

    # From outside

    def position(self) -> dict[str, Any]:
        """The position in the form of a view."""

        def name(index: int | None) -> str | None:
            return None if index is None else self.players[index].name

        def in_order(amounts: Amounts) -> list[int]:
            return [amounts[island] for island in ISLANDS]

        cards = [f"{name} {card}" for name in SETS for card in ("monarch", *ISLANDS)]
        return {
            "stage": self.stage,
            "phase": self.phase,
            "to_act": name(self.decider),
            "first": name(self.first),
            "order": [self.players[index].name for index in self.order],
            "acted": name(self.acted),
            "king": name(self.king),
            "chiefs": [name(self.holder(f"{self.latest_set()} {island}")) for island in ISLANDS],
            "face_up": list(self.face_up),
            "deck": sorted(self.deck),
            "migration": None if self.migration is None else list(self.migration),
            "dice": {"left": list(self.left), "totals": list(self.totals)} if self.phase == "die" else None,
            "players": {
                player.name: {
                    "points": player.points,
                    "tokens": in_order(player.tokens),
                    "actions": in_order(player.actions),
                    "hawaiian": player.hawaiian,
                    "pool": self.rules.stock - player.hawaiian,
                    **player.tracks,
                    "cards": [card for card in cards if card in player.cards],
                    "moves": player.moves,
                    "converted": player.converted,
                }
                for player in self.players
            },
        }

    @classmethod
    def at(cls, rules: Rules, told: Mapping[str, Any], turn_order: str = "most_left") -> Referee:
        """The referee in a position of the form of `position()`."""
        names = list(told["players"])
        referee = cls(rules, names, turn_order)
        index: dict[str | None, int | None] = {None: None, **{name: place for place, name in enumerate(names)}}
        referee.stage, referee.phase = told["stage"], told["phase"]
        referee.decider, referee.first, referee.acted = (index[told[key]] for key in ("to_act", "first", "acted"))
        referee.order = [names.index(name) for name in told["order"]]
        referee.king = index[told["king"]]
        referee.face_up, referee.deck = list(told["face_up"]), set(told["deck"])
        referee.migration = None if told["migration"] is None else (told["migration"][0], told["migration"][1])
        if told["dice"] is not None:
            referee.left, referee.totals = list(told["dice"]["left"]), list(told["dice"]["totals"])
        for player in referee.players:
            fields = told["players"][player.name]
            player.points, player.moves, player.converted = (fields[key] for key in ("points", "moves", "converted"))
            player.tokens = dict(zip(ISLANDS, fields["tokens"], strict=True))
            player.actions = dict(zip(ISLANDS, fields["actions"], strict=True))
            player.tracks = {track: fields[track] for track in TRACKS}
            player.cards = set(fields["cards"])
        return referee

    def copy(self) -> Referee:
        """A game that goes on by itself; it shares the rules, and has nothing told."""
        twin = copy.copy(self)
        twin.players = [player.copy() for player in self.players]
        twin.order, twin.face_up, twin.deck = list(self.order), list(self.face_up), set(self.deck)
        twin.left, twin.totals, twin.told = list(self.left), list(self.totals), []
        return twin

    def outcomes(self) -> dict[int, Fraction]:
        """[R-24, C2e, P3] What may fall at this chance node, and how likely it is."""
        found: dict[str, Iterable[int]] = {
            "first_player": range(len(self.players)),
            "event": self.deck,
            "die": range(1, 7),
        }
        numbers = sorted(found[self.phase])
        return {number: Fraction(1, len(numbers)) for number in numbers}

    def chance_text(self, outcome: int) -> str:
        """Section 7: an outcome in words."""
        if self.phase == "first_player":
            return f"first_player {self.players[outcome].name}"
        title = f" {self.card(outcome).title}" if self.phase == "event" else ""
        return f"{self.phase} {outcome}{title}"

    def fall(self, outcome: int) -> None:
        """Chance falls on an outcome."""
        assert outcome in self.outcomes(), (self.phase, outcome)
        self.told.append((self.phase, self.chance_text(outcome), False))
        {"first_player": self.begin, "event": self.draw, "die": self.roll}[self.phase](outcome)
        self.take_forced()

    def answer(self, text: str) -> None:
        """Who decides takes one of `options()`."""
        assert text in self.options(), (self.phase, text, self.options())
        self.tell(text, False)
        self.take_forced()

    def take_forced(self) -> None:
        """Section 7: a decision with one legal choice is taken and not asked."""
        while self.decider is not None and len(options := self.options()) == 1:
            self.tell(options[0], True)

    def tell(self, text: str, forced: bool) -> None:
        """A decision in words."""
        assert self.decider is not None
        self.told.append((self.decider, text, forced))
        verb, *words = text.split()
        take = {"king": self.place_king, "pass": self.lose_actions}.get(verb) or getattr(self, verb)
        take(self.players[self.decider], *words)

    # What may be done

    def options(self) -> list[str]:
        """Section 7: the legal choices of who decides, in words."""
        assert self.decider is not None
        return list(getattr(self, f"options_of_{self.phase}")(self.players[self.decider]))

    def options_of_settle(self, player: Player) -> list[str]:
        """[P1] An island that nobody has settled on."""
        return [f"settle {island}" for island in ISLANDS if not any(other.present(island) for other in self.players)]

    def options_of_prologue_action(self, player: Player) -> list[str]:
        """[P2] From any island where he has tokens (R-03), or a warrior."""
        return [*self.ways(island for island in ISLANDS if player.present(island)), "warrior"]

    def options_of_amount(self, player: Player) -> list[str]:
        """[P2, C2m] One to all."""
        assert self.migration is not None
        return [f"amount {number}" for number in range(1, player.tokens[self.migration[0]] + 1)]

    def options_of_king(self, player: Player) -> list[str]:
        """[AD, C1] Where he is present."""
        return [f"king {island}" for island in ISLANDS if player.present(island)]

    def options_of_action(self, player: Player) -> list[str]:
        """[C2] With an Action token that he has; presence is needed to migrate only (R-21)."""
        found = self.ways(island for island in ISLANDS if player.actions[island] and player.present(island))
        for island in ISLANDS:
            if not player.actions[island]:
                continue
            if self.stage != "chapter_3":
                found.append(f"warrior {island}")
            if self.may_take(player, island):
                found.append(f"take {island}")
            for slot, number in enumerate(self.face_up, start=1):
                if number is not None and self.may_choose(player, self.card(number), island):
                    found.append(f"event {slot} {island}")
        return found or ["pass"]

    def options_of_convert(self, player: Player) -> list[str]:
        """[E1] A token of an island, a Commerce or an Aloha; or no more."""
        found = ["done"]
        for island in ISLANDS:
            if player.present(island):
                found += [f"convert {island} commerce", f"convert {island} aloha"]
        return found + [f"convert {track} vote" for track in ("commerce", "aloha") if player.tracks[track]]

    @staticmethod
    def ways(islands: Iterable[str]) -> list[str]:
        """[C2m] To one of the four others."""
        return [f"migrate {start} {goal}" for start in islands for goal in ISLANDS if goal != start]

    def may_take(self, player: Player, island: str) -> bool:
        """[C2r] Where the island gives Pure Hawaiian tokens, one must be in the pool (R-12)."""
        return "hawaiian" not in self.rules.take(self.stage, island) or player.hawaiian < self.rules.stock

    def may_choose(self, player: Player, card: Card, island: str) -> bool:
        """[C2e] Active there; what he must pay he can pay (R-13)."""
        return island in card.islands and (card.kind == "calamity_opponents" or player.can_pay(card.pays, island))

    # Prologue

    def begin(self, first: int) -> None:
        """[P1] Clockwise from the first player."""
        self.first = first
        self.order = self.clockwise(first)
        self.phase, self.decider = "settle", first
        for player in self.players:
            player.moves = self.rules.moves

    def clockwise(self, start: int) -> list[int]:
        """All players, from this one."""
        count = len(self.players)
        return [(start + place) % count for place in range(count)]

    def settle(self, player: Player, island: str) -> None:
        """[P1] 20 tokens."""
        player.tokens[island] += self.rules.placed
        self.acted = self.decider
        waiting = [index for index in self.order if self.players[index].hawaiian == 0]
        self.decider = waiting[0] if waiting else None
        if not waiting:
            self.acted = None
            self.next_of_prologue()

    def next_of_prologue(self) -> None:
        """[P2] One action each in order, then another; then the battle."""
        most = max(player.moves for player in self.players)
        if most == 0:
            self.conflict()
            return
        self.phase = "prologue_action"
        self.decider = next(index for index in self.order if self.players[index].moves == most)

    # Actions

    def spend(self, player: Player, island: str) -> None:
        """[P2, C2] An Action token comes off an island; in the Prologue it does not matter which (R-03)."""
        if self.stage == "prologue":
            player.moves -= 1
        else:
            player.actions[island] -= 1
        self.acted = self.decider

    def go_on(self) -> None:
        """After an action."""
        if self.stage == "prologue":
            self.next_of_prologue()
        else:
            self.next_of_chapter()

    def migrate(self, player: Player, start: str, goal: str) -> None:
        """[P2, C2m] How many go is asked next."""
        self.migration, self.phase = (start, goal), "amount"

    def amount(self, player: Player, number: str) -> None:
        """[P2, C2m] In one group."""
        assert self.migration is not None
        start, goal = self.migration
        player.tokens[start] -= int(number)
        player.tokens[goal] += int(number)
        self.migration = None
        self.spend(player, start)
        self.go_on()

    def warrior(self, player: Player, island: str = "") -> None:
        """[P2, C2w] One."""
        self.spend(player, island)
        player.receive({"warrior": 1}, island, self.rules)
        self.go_on()

    def take(self, player: Player, island: str) -> None:
        """[C2r] What the island gives."""
        self.spend(player, island)
        player.receive(self.rules.take(self.stage, island), island, self.rules)
        self.go_on()

    def event(self, player: Player, slot: str, island: str) -> None:
        """[C2e, R-29] The event, all of it; then the slot is drawn for."""
        self.spend(player, island)
        number = self.face_up[int(slot) - 1]
        assert number is not None
        card = self.card(number)
        self.face_up[int(slot) - 1] = None
        if card.kind == "event":
            player.pay(card.pays, island)
        player.receive(card.receives, island, self.rules)
        if card.kind == "calamity_opponents":
            self.strike([other for other in self.players if other is not player], card, island)
        self.go_on()

    def lose_actions(self, player: Player) -> None:
        """[R-04] All Action tokens left are lost."""
        player.actions = dict.fromkeys(ISLANDS, 0)
        self.acted = self.decider
        self.go_on()

    def strike(self, players: list[Player], card: Card, island: str) -> None:
        """[C2e, R-15] Who is present pays, if he can pay all of it."""
        for player in players:
            if player.present(island) and player.can_pay(card.pays, island):
                player.pay(card.pays, island)

    # Chapters

    def card(self, number: int) -> Card:
        """A card of this chapter."""
        return self.rules.cards[self.stage][number]

    def begin_chapter(self) -> None:
        """[AD, C1] Action tokens; then the King/Queen token, where its holder is present somewhere (R-07)."""
        self.acted = None
        if self.stage == "chapter_3":
            for player in self.players:
                player.tracks["warrior"] = 0
        self.deal_actions()
        assert self.king is not None
        if self.players[self.king].hawaiian:
            self.phase, self.decider = "king", self.king
        else:
            self.make_order()

    def deal_actions(self) -> None:
        """[AD, C1, R-26] Two for the latest set's card, else one where present."""
        for player in self.players:
            for island in ISLANDS:
                held = f"{self.latest_set()} {island}" in player.cards
                player.actions[island] = 2 if held else 1 if player.present(island) else 0

    def place_king(self, player: Player, island: str) -> None:
        """[AD, C1] One more Action there."""
        player.actions[island] += 1
        self.make_order()

    def by_points(self) -> list[int]:
        """[TO, E1, R-06, R-20] More points first; if level, clockwise from the left of who acted first."""
        assert self.first is not None
        seats = self.clockwise((self.first + 1) % len(self.players))
        return sorted(seats, key=lambda index: -self.players[index].points)

    def make_order(self) -> None:
        """[TO, R-05] The order of ties; then the cards."""
        ties = self.by_points()
        most_first = sorted(ties, key=lambda index: -self.players[index].action_count)
        self.first = most_first[0]
        self.order = most_first if self.turn_order == "rounds" else ties
        self.deck = set(self.rules.cards[self.stage])
        self.next_of_chapter()

    def next_of_chapter(self) -> None:
        """[C2] A slot is drawn for, or somebody acts, or the chapter ends."""
        self.decider = None
        if self.deck and None in self.face_up:
            self.phase = "event"
            return
        actor = self.next_actor()
        if actor is not None:
            self.phase, self.decider = "action", actor
            return
        self.face_up, self.deck = [None] * self.rules.slots, set()
        if self.stage == "chapter_3":
            self.score()
        else:
            self.conflict()

    def next_actor(self) -> int | None:
        """[TO, R-05] Who has most Action tokens left, or, by `rounds`, who is next in turn."""
        able = [index for index in self.order if self.players[index].action_count]
        if not able:
            return None
        if self.turn_order == "rounds":
            if self.acted is None:
                return able[0]
            after = self.order.index(self.acted) + 1
            return next(index for index in self.order[after:] + self.order[:after] if index in able)
        return max(able, key=lambda index: self.players[index].action_count)

    def draw(self, number: int) -> None:
        """[C2e] A calamity is executed at once, and the same slot is drawn for again."""
        card = self.card(number)
        self.deck.remove(number)
        if card.kind == "calamity":
            for island in card.islands:
                self.strike(self.players, card, island)
        else:
            self.face_up[self.face_up.index(None)] = number
        self.next_of_chapter()

    # Conflict

    def dice_of(self) -> list[int]:
        """[P3, C3, R-08] Two each, three for who has most warriors; two level for most have three, more have two."""
        warriors = [player.tracks["warrior"] for player in self.players]
        strongest = warriors.count(max(warriors))
        return [3 if count == max(warriors) and strongest <= 2 else 2 for count in warriors]

    def conflict(self) -> None:
        """[P3, C3] All roll."""
        self.phase, self.decider = "die", None
        self.left, self.totals = self.dice_of(), [0] * len(self.players)

    def roll(self, face: int) -> None:
        """[P3, R-08] In the order of indices; those level for the highest total roll again."""
        roller = next(index for index, count in enumerate(self.left) if count)
        self.left[roller] -= 1
        self.totals[roller] += face
        if any(self.left):
            return
        best = [index for index, total in enumerate(self.totals) if total == max(self.totals)]
        if len(best) == 1:
            self.crown(best[0])
            return
        again = self.dice_of()
        self.left = [count if index in best else 0 for index, count in enumerate(again)]
        self.totals = [0] * len(self.players)

    def crown(self, winner: int) -> None:
        """[P3, C3] The monarch's card, the King/Queen token; the island cards."""
        self.king = winner
        self.players[winner].cards.add(f"{self.stage} monarch")
        self.give_islands(self.stage)
        self.score()

    def give_islands(self, name: str) -> None:
        """[P3, C3, E2] To who has most tokens there; tie or empty: to nobody."""
        for island in ISLANDS:
            most = max(player.tokens[island] for player in self.players)
            best = [player for player in self.players if player.tokens[island] == most]
            if most and len(best) == 1:
                best[0].cards.add(f"{name} {island}")

    def latest_set(self) -> str:
        """[AD, R-18] The set that was given last."""
        if self.phase == "over":
            return "epilogue"
        return SETS[min(max(STAGES.index(self.stage) - 1, 0), 2)]

    def holder(self, card: str) -> int | None:
        """Who has a Royal Family card."""
        return next((index for index, player in enumerate(self.players) if card in player.cards), None)

    # Scoring

    def score(self) -> None:
        """[P4, C4] This stage's cards (R-18), and in a chapter the majorities; then the next stage."""
        chart = self.rules.scoring[self.stage]
        for player in self.players:
            for key in ("monarch", "island"):
                names = ISLANDS if key == "island" else ("monarch",)
                player.points += chart.get(key, 0) * sum(f"{self.stage} {name}" in player.cards for name in names)
        if self.stage in CHAPTERS:
            for resource in MAJORITIES:
                self.score_majority(resource)
        self.stage = STAGES[STAGES.index(self.stage) + 1]
        if self.stage == "epilogue":
            self.begin_epilogue()
        else:
            self.begin_chapter()

    def score_majority(self, resource: str) -> None:
        """[C4, R-19] Level players share the places that they fill, rounded down; nothing for nothing."""
        chart = self.rules.majority(self.stage, resource, len(self.players))
        amounts = [player.amount(resource) for player in self.players]
        for player, own in zip(self.players, amounts, strict=True):
            ahead, level = sum(other > own for other in amounts), amounts.count(own)
            if own:
                player.points += sum(chart[ahead : ahead + level]) // level

    # Epilogue

    def begin_epilogue(self) -> None:
        """[E1, R-20] By points, high to low."""
        self.acted = None
        self.phase, self.order = "convert", self.by_points()
        self.ask_conversions(self.order)

    def ask_conversions(self, waiting: list[int]) -> None:
        """[E1] The next of those who still may."""
        able = [index for index in waiting if self.players[index].converted < self.rules.conversions]
        if able:
            self.decider = able[0]
        else:
            self.elect()

    def convert(self, player: Player, given: str, wanted: str) -> None:
        """[E1] One for one; five in all."""
        player.pay({"hawaiian": 1} if given in ISLANDS else {given: 1}, given)
        player.receive({wanted: 1}, given, self.rules)
        player.converted += 1
        if player.converted == self.rules.conversions:
            self.done(player)

    def done(self, player: Player) -> None:
        """[E1] The next player."""
        self.acted = self.decider
        place = self.order.index(self.players.index(player))
        self.ask_conversions(self.order[place + 1 :])

    def elect(self) -> None:
        """[E2, E3, E4]"""
        self.decider, self.phase = None, "over"
        self.give_islands("epilogue")
        governor = self.governor()
        if governor is not None:
            governor.cards.add("epilogue monarch")
            governor.points += self.rules.scoring["epilogue"]["governor"]
        for player in self.players:
            representatives = sum(f"epilogue {island}" in player.cards for island in ISLANDS)
            player.points += representatives * self.rules.scoring["epilogue"]["island"]
            for resource, number in self.rules.scoring["epilogue"]["tokens_for_a_point"].items():
                player.points += player.amount(resource) // number

    def votes(self, player: Player) -> int:
        """[E3] Home Rule tokens, and all cards' votes."""
        return player.tracks["vote"] + sum(self.rules.votes[card] for card in player.cards)

    def governor(self) -> Player | None:
        """[E3] Most votes; Pure Hawaiian tokens, Aloha, Commerce; else nobody."""
        ranks = {player.name: (self.votes(player), *tie_break(player)) for player in self.players}
        best = [player for player in self.players if ranks[player.name] == max(ranks.values())]
        return best[0] if len(best) == 1 else None

    # Winning

    def places(self) -> list[int]:
        """[W, R-23] By points, then as for the Governor; who is level shares the better place."""
        ranks = [(player.points, *tie_break(player)) for player in self.players]
        return [1 + sum(other > own for other in ranks) for own in ranks]

    def shares(self) -> list[Fraction]:
        """[W, R-23] Of the victory."""
        places = self.places()
        return [Fraction(place == 1, places.count(1)) for place in places]

    def returns(self, reward: str) -> list[Fraction]:
        """Section 8."""
        count, places, points = len(self.players), self.places(), [player.points for player in self.players]
        if reward == "win":
            return [(share - Fraction(1, count)) * count / (count - 1) for share in self.shares()]
        if reward == "rank":
            return [
                Fraction(sum(other > own for other in places) - sum(other < own for other in places), count - 1)
                for own in places
            ]
        return [Fraction(sum(max(-20, min(20, own - other)) for other in points), 20 * (count - 1)) for own in points]


def tie_break(player: Player) -> tuple[int, int, int]:
    """[E3, W] Pure Hawaiian tokens, then Aloha, then Commerce."""
    return player.hawaiian, player.tracks["aloha"], player.tracks["commerce"]
