"""Ids of the game's spaces, kinds of piece, phases and effects: integers that the compiled rules use [3.0, 4.0, 7.2].

Ids never change with a ruleset; display names are data.
"""

from __future__ import annotations

# Spaces [4.0], in map order.
KONA, HILO, MAUI, MOLOKAI, WAIKIKI, KOOLAU, KAUAI = 0, 1, 2, 3, 4, 5, 6
SPACES = ("kona", "hilo", "maui", "molokai", "waikiki", "koolau", "kauai")
N_SPACES = 7

# Places of a piece: 0-6 a space, then the off-map places.
BOX, DEAD, ABOARD, WAR, SEA = 7, 8, 9, 10, 11  # SEA + s: at sea, bound for space s
N_PLACES = SEA + N_SPACES

# Sides. A player is 0 or 1; Kaua'i is neutral until it joins.
KAMEHAMEHA, ALLIED, NEUTRAL = 0, 1, 2
SIDES = ("kamehameha", "allied", "neutral")

# Kinds of piece [3.1], in the order of the ruleset's table.
KINDS = (
    "kamehameha", "john_young", "royal_guard", "vancouver", "musketeer", "pike", "warrior_2", "warrior_1", "canoe",
    "kalani", "kaiana", "thunderers", "brown", "allied_musketeer", "allied_pike",
    "oahu_warrior", "maui_warrior", "kaiana_warriors", "oahu_canoe", "maui_canoe",
    "kauai_warrior", "kauai_canoe",
)  # fmt: skip
N_KINDS = len(KINDS)  # 22: the two sides' musketeers and pikes are kinds of their own inside, one name outside
KIND_NAMES = tuple(k.removeprefix("allied_") for k in KINDS)
(
    K_KAMEHAMEHA, K_JOHN_YOUNG, K_ROYAL_GUARD, K_VANCOUVER, K_MUSKETEER, K_PIKE, K_WARRIOR_2, K_WARRIOR_1, K_CANOE,
    K_KALANI, K_KAIANA, K_THUNDERERS, K_BROWN, K_A_MUSKETEER, K_A_PIKE,
    K_OAHU_WARRIOR, K_MAUI_WARRIOR, K_KAIANA_WARRIORS, K_OAHU_CANOE, K_MAUI_CANOE,
    K_KAUAI_WARRIOR, K_KAUAI_CANOE,
) = range(N_KINDS)  # fmt: skip
N_PIECES = 39  # the fortieth is the earthworks marker

# Cards of a deck [8.0].
N_NUMBERS = 9
ALL_CARDS = (1 << N_NUMBERS + 1) - 2  # bit n is card number n

# What a card's recruit line asks for: a kind, or one of two classes.
WANT_WARRIOR, WANT_CANOE = N_KINDS, N_KINDS + 1
N_WANTS = N_KINDS + 2

# Where a piece came from [11.5, 11.8]: nothing, a space (1 + s), or turned among enemies.
ORIGIN_NONE, ORIGIN_TURNED = 0, 8

# Results of a die in battle [11.3].
NO_EFFECT, PANIC, ELIMINATION = 0, 1, 2
RESULTS = ("none", "panic", "elimination")

# Kinds of battle.
INVASION, OVERLAND, SEA_BATTLE = 0, 1, 2
BATTLES = ("invasion", "overland", "sea")

# Timing of an event [8.1, 8.2].
NO_EVENT, NOW, THIS_TURN, HOLD, RECRUITING = 0, 1, 2, 3, 4
TIMINGS = ("none", "now", "this_turn", "hold", "recruiting")

# Effects: named primitives. A card has at most one. Parameters stand in `effect_args`.
FX_NONE = 0
FX_GUNPOWDER = 1  # this_turn: args[0] more dice for each gunpowder unit of the side
FX_ADVANTAGE = 2  # this_turn: args[0] added to the side's advantage rolls
FX_APPEAL = 3  # now: args[0] bit mask of die faces that win neutral Kaua'i, args[1] the same when it is with the enemy
FX_HOME = 4  # now: args[0] pieces to the box; args[1] bit mask of kinds; args[2] bit mask of die faces (0: no die)
FX_RECRUIT_AMONG = 5  # recruiting: args[0] mask of kinds, args[1] mask of spaces, even among enemies
FX_NO_SIGHTING = 6  # hold (window: movement) or this_turn: no sighting this half
FX_SURE_SIGHTING = 7  # hold (window: sighting): sighted without a roll
FX_EARTHWORKS = 8  # hold (window: battle): earthworks
EFFECTS = (
    "none", "gunpowder_dice", "advantage", "appeal", "home", "recruit_among", "no_sighting", "sure_sighting",
    "earthworks",
)  # fmt: skip
N_EFFECT_ARGS = 4

# Phases: decisions first, then chance, then the end, then what runs by itself [7.2].
(
    SETUP, HOME, RECRUIT, WITHDRAW, WINDOW, MOVE, PICKUP, CARGO, SAIL, APPROACH, LAUNCH, COMMIT,
    BATTLE_ORDER, FIRE, LOSS, PANIC_LOSS, CANOE_LOSS, RETREAT,
    CARD, EVENT_DIE, SIGHTING, ADVANTAGE, HIT_DIE,
    OVER,
    TURN_START, HALF_START, EVENT, WITHDRAWALS, MOVE_START, SEA_PHASE, SIGHT_START, LAND_FLEET, SEA_START,
    SEA_LOSER, SEA_LAND, LAND_PHASE, BATTLE_BEGIN, ROUND_START, NEXT_FIRE, AFTER_DIE, ROUND_END, ATTACK_LOST,
    MARCHERS_LOST, HALF_END,
) = range(44)  # fmt: skip
PHASES = (
    "setup", "home", "recruiting", "withdrawal", "window", "movement", "pickup", "cargo", "sail", "approach",
    "launch", "commit", "battle_order", "fire", "loss", "panic", "canoe_loss", "retreat",
    "card", "event", "sighting", "advantage", "hit_die",
    "over",
)  # fmt: skip
AUTOMATIC_PHASES = (
    "turn_start", "half_start", "event_now", "withdrawals", "move_start", "sea_phase", "sight_start", "land_fleet",
    "sea_start", "sea_loser", "sea_land", "land_phase", "battle_begin", "round_start", "next_fire", "after_die",
    "round_end", "attack_lost", "marchers_lost", "half_end",
)  # fmt: skip
LAST_DECISION, FIRST_CHANCE, LAST_CHANCE = RETREAT, CARD, HIT_DIE

# Windows for held events [8.1].
WINDOW_NONE, WINDOW_MOVEMENT, WINDOW_SIGHTING, WINDOW_BATTLE = 0, 1, 2, 3
WINDOWS = ("none", "movement", "sighting", "battle")

# Why pieces retreat: what happens with them and what comes after.
BY_SEA_LOSER, BY_ATTACKER, BY_MARCHERS, BY_DEFENDER = 1, 2, 3, 4

# Reasons of the end [5.1, 5.2, 5.3].
R_NONE, R_OCCUPATION, R_KAMEHAMEHA_DEAD, R_CHIEFS_DEAD, R_NOVEMBER, R_OCCUPATION_NOVEMBER = 0, 1, 2, 3, 4, 5
REASONS = (
    "",
    "occupation victory [5.1]",
    "Kamehameha eliminated [5.2]",
    "Kalani and Kaiana eliminated [5.2]",
    "November ended [5.3]",
    "occupation victory after November [5.1, R-08]",
)
TIE = 2
MONTHS = (
    "", "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
)  # fmt: skip
LAST_MONTH = len(MONTHS) - 1


def reason_text(reason: int, month: int) -> str:
    """Return a reason in words; a scenario may end in another month than November."""
    return REASONS[reason].replace("November", MONTHS[month].capitalize())


N_REASONS, N_ENDS = len(REASONS), len(REASONS) - R_NOVEMBER
REASON_TEXTS: tuple[str, ...] = (
    *REASONS,
    *(reason_text(reason, month) for month in range(1, LAST_MONTH) for reason in range(R_NOVEMBER, len(REASONS))),
)
"""Why games of a batch ended: those that a scenario ends in an earlier month than November come last, by month."""

MAX_LEGAL = 128
"""Legal actions that a state has room for."""

MAX_STEPS = 5_000
"""Phases, chance outcomes and forced decisions in a row, before somebody has a choice. Random games have 70 at most."""
