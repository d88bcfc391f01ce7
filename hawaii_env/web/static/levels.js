// Opponents by level, and names of players.

import { sideName } from "./info.js";
import { reference } from "./ruled.js";

/** The levels in a game with certain options: number, name, about, agent. */
export const levelsOf = (options = {}) =>
  reference().levels.map(({ others, ...level }) => {
    const other = Object.entries(others).find(([when]) => {
      const [name, value] = when.split("=");
      return String(options[name]) === value;
    });
    return { ...level, agent: other ? other[1] : level.agent };
  });

/** The owner of a seat, as text. */
export function seatName(seat, agent = seat.played_by) {
  if (seat.agent) return agent;
  const name = seat.name || (seat.you ? "you" : seat.joined ? "guest" : "nobody yet");
  const you = seat.you && seat.name ? `${seat.name} (you)` : name;
  if (!seat.stand_in) return you;
  const whom = seat.name || (seat.you ? "you" : seat.joined ? "the guest" : "nobody yet");
  return `${agent}, for ${whom}`;
}

/** The owner of a seat, as text, with the number of an agent's level. */
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

/** A side's name at the start and in the middle of a sentence, its possessive, and the form of a verb. */
export const sideTitle = (side) => sideOf(side).title;
export const sideWithin = (side) => sideOf(side).within;
export const sideWhose = (side) => sideOf(side).whose;
export const sideDoes = (side, one, many) => (sideOf(side).plural ? many : one);
