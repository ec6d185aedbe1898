import { z } from "zod";
import { roundTo, SCORE_DECIMALS } from "./ids.ts";

const Figure = z
  .strictObject({
    low: z.number().describe("The least that it may be, whatever votes are not known."),
    point: z.number().describe("By the known votes."),
    high: z.number().describe("The most that it may be."),
  })
  .meta({ id: "ConcentrationFigure", description: "A figure of concentration with its interval." });

/** How concentrated cast power is: weighted medians over the ballots of the frame; reported, never scored. */
export const Concentration = z
  .strictObject({
    nakamoto: z
      .strictObject({
        ...Figure.shape,
        high: Figure.shape.high
          .nullable()
          .describe("The most that it may be; `null` if any number of votes may be unknown."),
      })
      .meta({ id: "NakamotoFigure", description: "The Nakamoto number with its interval." })
      .describe("Nakamoto number: the fewest voters that hold more than half of a ballot's power."),
    hhi_points: Figure.describe("Herfindahl-Hirschman index of cast power: 10,000 for one voter alone."),
    gini: Figure.describe("Gini coefficient of cast power: 0 if all voters hold the same."),
  })
  .meta({
    id: "Concentration",
    description: "How concentrated cast power is: medians over the ballots, an entity being one voter.",
  });
export type Concentration = z.infer<typeof Concentration>;

export function roundedConcentration({ nakamoto, hhi_points, gini }: Concentration): Concentration {
  const rounded = ({ low, point, high }: z.infer<typeof Figure>) => ({
    low: roundTo(low, SCORE_DECIMALS),
    point: roundTo(point, SCORE_DECIMALS),
    high: roundTo(high, SCORE_DECIMALS),
  });
  return { nakamoto, hhi_points: rounded(hhi_points), gini: rounded(gini) };
}
