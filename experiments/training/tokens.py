"""A network over tokens: the pieces share their weights, and so do the spaces. For the observation `hawaii1795_v1`.

    e_i = tanh(piece(row of piece i, its kind))                D values a piece, the same weights for all
    t_s = tanh(space(row of space s, sum of e_i in s))         D values a space, the same weights for all
    p, v = split(tanh(first(the rest) + mix(all t_s, sum of e_i)))

and from there on as `net.Net`. The kinds of the rows are the ruleset's, so the observation leaves them out. A deep set:
whatever the order of a kind's pieces, the result is the same, and what one piece has taught holds for all of its
kind. With heads, each space attends to all pieces and spaces before they are mixed:

    x = all e_i, and all t_s + place_s                         a row of spaces does not tell which it is
    t_s = t_s + place_s + heard(softmax(q_s k' / sqrt(D / heads)) v)    q = ask(x), k and v = tell(x), head by head

in float32, since torch's bfloat16 is slower there. All to all would cost four times as much.
"""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from hawaii_env.errors import OptionError
from hawaii_env.game import Game

from .net import Net, half_tanh


class TokenNet(Net):
    """The network.

    Args:
        game: the game, which shows `hawaii1795_v1`.
        hidden, precision: as for `Net`.
        width: D.
        heads: heads of the attention, which divide D; 0: none.

    Raises:
        OptionError: another game, or heads that do not divide D.
    """

    def __init__(self, game: Game, hidden: int, precision: str = "float32", width: int = 32, heads: int = 0) -> None:
        places, at = {}, 0
        for part in game.observation_parts:
            size = int(np.prod(part.shape))
            places[part.name] = at, part.shape
            at += size
        if any(len(places.get(name, (0, ()))[1]) != 2 for name in ("pieces", "spaces")):
            raise OptionError("network=tokens: expected rows of pieces and of spaces, as hawaii1795_v1 has them")
        (piece_at, self.pieces), (space_at, self.spaces) = places["pieces"], places["spaces"]
        fixed = np.concatenate([
            np.arange(piece_at, piece_at + math.prod(self.pieces)),
            np.arange(space_at, space_at + math.prod(self.spaces)),
        ])  # fmt: skip
        super().__init__(game.observation_size - len(fixed), game.num_actions, hidden, precision)
        self.fixed: NDArray[np.int64] = fixed
        self.width = width
        self.standing, kinds = _standing(game, self.pieces[1])
        self.kinds = torch.eye(max(kinds) + 1)[kinds].to(self.kind)
        self.piece = nn.Linear(self.pieces[1] + self.kinds.shape[1], width)
        self.space = nn.Linear(self.spaces[1] + width, width)
        self.mix = nn.Linear((self.spaces[0] + 1) * width, 2 * hidden, bias=False)
        self.heads = heads
        if heads:
            if width % heads:
                raise OptionError(f"width: {heads} heads of attention do not divide it: {width}")
            self.ask, self.tell, self.heard = (nn.Linear(width, n * width) for n in (1, 2, 1))
            self.place = nn.Parameter(torch.zeros(self.spaces[0], width))
            nn.init.orthogonal_(self.place)
        with torch.no_grad():
            for part in self.piece.weight, self.space.weight, self.mix.weight[:hidden], self.mix.weight[hidden:]:
                nn.init.orthogonal_(part, math.sqrt(2))
            self.mix.weight /= math.sqrt(2)  # beside the rest, which is as wide
            for layer in self.piece, self.space:
                layer.bias.zero_()

    def towers(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the last layers of policy and value are given, float32[n, H] each."""
        x = observations.to(self.kind)
        n, loose = len(x), x.shape[1] - len(self.fixed)
        rows = x[:, loose : loose + math.prod(self.pieces)].reshape(n, *self.pieces)
        spaces = x[:, loose + math.prod(self.pieces) :].reshape(n, *self.spaces)
        pieces = torch.cat([rows, self.kinds.to(x.device).expand(n, -1, -1)], 2)
        seen = self._layer(pieces.flatten(0, 1), self.piece).view(n, self.pieces[0], self.width)
        where = rows[:, :, self.standing : self.standing + self.spaces[0]]
        here = torch.bmm(where.transpose(1, 2), seen)
        spaces = self._layer(torch.cat([spaces, here], 2).reshape(n * self.spaces[0], -1), self.space)
        if self.heads:
            spaces = self._attend(spaces.view(n, *self.place.shape).float() + self.place, seen.float()).to(x.dtype)
        whole = torch.cat([x[:, :loose], spaces.reshape(n, -1), seen.sum(1)], 1)
        weight = torch.cat([self.first.weight, self.mix.weight], 1)
        policy, worth = half_tanh(whole, weight, self.first.bias, self.in_half).chunk(2, dim=1)
        return self._layer(policy, self.policy).float(), self._layer(worth, self.worth).float()

    def _attend(self, spaces: Tensor, pieces: Tensor) -> Tensor:
        """Return the spaces' tokens, float32[n, S, D], to which each has added what it heard from all."""
        n = len(spaces)
        q = self.ask(spaces).view(n, -1, self.heads, self.width // self.heads).transpose(1, 2)
        keys = self.tell(torch.cat([pieces, spaces], 1)).view(n, -1, 2, self.heads, self.width // self.heads)
        heard = nn.functional.scaled_dot_product_attention(q, *keys.permute(2, 0, 3, 1, 4))
        return spaces + self.heard(heard.transpose(1, 2).reshape(spaces.shape))


def _standing(game: Game, width: int) -> tuple[int, list[int]]:
    """Return the columns of a piece's row that say in which space it stands, and the kind of each row."""
    from hawaii_env.hawaii1795 import observation

    if game.observation_size != observation.SIZE or width != observation.PIECE_WIDTH:
        raise OptionError("network=tokens: expected rows of pieces as those of hawaii1795_v1")
    return observation.C_SPACE, cast(Any, game).tables.kind
