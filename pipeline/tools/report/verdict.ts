import { METHODOLOGY } from "../../score/method/methodology.ts";
import { type Html, html } from "../html.ts";
import { spell } from "../spell.ts";
import type { EvidenceStory } from "./report-data.ts";

const { presenceDays, presenceFadeDays } = METHODOLOGY.interval;

/** Smaller gains would be printed as 0.00. */
const LEAST_POINTS = 0.005;

/** Whether a DAO votes, and what each component loses by it where it does not. */
function presenceSentence({ absence, presence: { low, high } }: EvidenceStory): string {
  if (absence === undefined)
    return `It votes: at least two proposals of usual power ended in the last ${presenceDays - presenceFadeDays} days.`;
  const lost = spell.percent(100 * (1 - low));
  return `${absence}: that takes ${low === high ? "" : "up to "}${lost} off each component.`;
}

/** What is lost whatever the missing data would show, and what the score would gain most from. */
function lossSentence({ components }: EvidenceStory): string {
  const losses = components.flatMap(({ name, weight, score, indicators, gvsPerPoint }) =>
    indicators.map(({ asks, cost }) => {
      // The score is a geometric mean of 1 + points; `gvsPerPoint` holds for a small step alone.
      const base = 1 + score.point;
      const gain = ((gvsPerPoint * base) / weight) * ((1 + cost / base) ** weight - 1);
      return { name, asks, cost, gain };
    }),
  );
  const [costliest] = losses.toSorted((a, b) => b.cost - a.cost);
  const [best] = losses.toSorted((a, b) => b.gain - a.gain);
  if (costliest === undefined || best === undefined || best.gain < LEAST_POINTS)
    return "The data show nothing that it surely loses points on.";
  const wins = best === costliest ? "to win them" : `full marks on “${best.asks}”`;
  return `It surely loses most on “${costliest.asks}”: ${spell.score(costliest.cost)} points of ${costliest.name}; ${wins} would raise its score most, by about ${spell.score(best.gain)}.`;
}

/** Three sentences on a DAO: does it vote, how much is known, what does it surely lose most on. */
export function verdict(evidence: EvidenceStory, [low, high]: readonly [number, number]): Html {
  const { knownShare, completenessPct } = evidence;
  const complete =
    completenessPct === undefined ? "" : `, from data that are ${spell.percent(completenessPct)} complete`;
  const known = `${spell.percent(100 * knownShare)} of its score is known: it lies between ${spell.score(low)} and ${spell.score(high)}${complete}.`;
  return html`<p class="lead">${[presenceSentence(evidence), known, lossSentence(evidence)].join(" ")}</p>
`;
}
