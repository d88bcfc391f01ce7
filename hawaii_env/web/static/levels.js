// Opponents by level, and what players are called.

import { sideName } from "./info.js";
import { reference } from "./ruled.js";

/** The levels in a game with some options: number, name, about, agent. */
export const levelsOf = (options = {}) =>
  reference().levels.map(({ others, ...level }) => {
    const other = Object.entries(others).find(([when]) => {
      const [name, value] = when.split("=");
      return String(options[name]) === value;
    });
    return { ...level, agent: other ? other[1] : level.agent };
  });

/** Who has a seat, in words. */
export function seatName(seat, agent = seat.played_by) {
  if (seat.agent) return agent;
  const name = seat.name || (seat.you ? "you" : seat.joined ? "guest" : "nobody yet");
  const you = seat.you && seat.name ? `${seat.name} (you)` : name;
  if (!seat.stand_in) return you;
  const whom = seat.name || (seat.you ? "you" : seat.joined ? "the guest" : "nobody yet");
  return `${agent}, for ${whom}`;
}

/** Who has a seat, in words, with the number of an agent's level. */
export const seatTitle = (seat) =>
  seatName(seat, seat.level === null ? seat.played_by : `${seat.played_by} (level ${seat.level})`);

const everySide = () => [...Object.values(reference().seating).flatMap(Object.values).flat(), ...reference().sides];

const sideOf = (side) =>
  everySide().find(({ id }) => id === side) ?? {
    title: sideName(side),
    within: sideName(side),
    whose: sideName(side),
    plural: false,
  };

/** A side's name at the start of a sentence, in its middle, what it has, and a verb of it. */
export const sideTitle = (side) => sideOf(side).title;
export const sideWithin = (side) => sideOf(side).within;
export const sideWhose = (side) => sideOf(side).whose;
export const sideDoes = (side, one, many) => (sideOf(side).plural ? many : one);
