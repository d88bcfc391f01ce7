// Opponents by level, and what players are called.

import { reference, sideName } from "./info.js";

/** The levels of a scenario: number, name, about, spec. */
export const levelsOf = (scenario) => reference().levels
  .map(({ specs, ...level }) => ({ ...level, spec: specs[scenario] ?? Object.values(specs)[0] }));

/** The level that an agent plays in a scenario. */
export const levelOf = (spec, scenario) => levelsOf(scenario).find((level) => level.spec === spec);

/** An agent as people call it: its level, else its spec. */
export function agentName(spec, scenario) {
  const level = levelOf(spec, scenario);
  return level ? `${level.name} (level ${level.number})` : spec;
}

/** Who has a seat, in words. */
export function seatName(seat, scenario) {
  if (seat.agent) return agentName(seat.agent, scenario);
  const name = seat.name || (seat.you ? "you" : seat.joined ? "guest" : "nobody yet");
  const you = seat.you && seat.name ? `${seat.name} (you)` : name;
  return seat.stand_in ? `${agentName(seat.stand_in, scenario)}, for ${seat.name || (seat.you ? "you" : seat.joined ? "the guest" : "nobody yet")}` : you;
}

/** A side's name as the start of a sentence. */
export const sideTitle = (side) => (side === "allied" ? "The Allies" : sideName(side));
