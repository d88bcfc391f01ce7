"""The worked example of the design: a combat of taranaki, to the letter."""

from __future__ import annotations

from moves import play, texts

from .helpers import game_of, pass_by, pieces_at, verbs


def test_the_worked_example() -> None:
    """[9.0, 11.0, R-26] Two hexes attack a pa with a gun: Damp Powder, both rolls give A, nobody panics or advances."""
    state = game_of().initial_state(chance="explicit")
    while state.view().half == "maori":
        play(state, "pass" if "pass" in texts(state) else "done")
    pass_by(state, "combat")
    play(state, "target 1134", "with nw all", "with nw artillery", "with n all")
    assert state.current_player == 0 and set(texts(state)) == {"evade", "stand"}
    play(state, "stand", 22)
    assert set(texts(state)) == {"column units", "column pa"}
    play(state, "column pa", 4)
    assert state.view().structures["1134"] == "pa/disrupted"
    assert state.current_player == 0 and verbs(state, "counter") == {"n", "nw"}
    play(state, "counter n", 4)
    assert pieces_at(state, "1133") == ["infantry/disrupted", "naval/disrupted"]
    assert state.view().structures["1133"] == "settlement/disrupted"
    play(state, 6)
    assert pieces_at(state, "1134") == ["warrior/disrupted", "warrior/disrupted", "wiremu_kingi"]
    assert state.view().structures["1134"] == "pa/disrupted" and state.marker == 0
    assert {at: one["bound"] for at, one in state.view().hexes.items() if one["bound"]} == {
        "1033": "1134",
        "1133": "1134",
    }
    assert verbs(state, "target") == {"0835", "1034"}  # of the militia of 0935 and 0934 alone
