import { z } from "zod";
import { MethodologyVersion, roundTo, SCORE_DECIMALS, Timestamp } from "../../../snapshots/format/ids.ts";
import type { Settings } from "../../home/settings.ts";
import { rangeText, spell } from "../spell.ts";

/**
 * A tool: what it is for, what it takes, and what it answers, which the compiler checks against its shape. The server
 * passes on what the input's schema has parsed; what the output's does not describe is taken away.
 */
export function tool<Input extends z.ZodType, Shape extends z.ZodRawShape>(described: {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Shape;
  run(settings: Settings, input: z.output<Input>): Promise<z.input<z.ZodObject<Shape>> & Cited>;
}) {
  const { name, description, input, output, run } = described;
  const outputSchema = z.object({ ...CITED, ...output });
  return {
    name,
    description,
    inputSchema: input as z.ZodType,
    outputSchema: outputSchema as z.ZodType,
    run: async (settings: Settings, given: unknown): Promise<Record<string, unknown>> =>
      outputSchema.parse(await run(settings, given as z.output<Input>)),
  };
}

/** What every answer says of where it comes from. */
const CITED = {
  quote: z.string().describe("A sentence that may be quoted as it is."),
  as_of: Timestamp.describe("The moment of the data."),
  methodology_version: MethodologyVersion.describe(
    "Version of the method; its numbers are not compared with another's.",
  ),
};
type Cited = z.output<z.ZodObject<typeof CITED>>;

export const Ends = z
  .array(z.number())
  .length(2)
  .describe("Low and high end, whatever the unknown data are.");
export const Score = z.number().nullable().describe("Null without a score: then only the interval is known.");
export const SpaceIdText = z.string().max(100).describe("The DAO's id, as list_daos gives it.");
export const VersionText = z.string().max(60).optional().describe("A kept version, or `previous`.");

export const rounded = (value: number): number => roundTo(value, SCORE_DECIMALS);

export const citation = ({ as_of, methodology_version }: Omit<Cited, "quote">): string =>
  `as of ${spell.moment(as_of)}, by method ${methodology_version} of govdata`;

/** The place of a DAO with a score: its rank, and those that the intervals of all allow. */
interface Place {
  readonly gvs: number;
  readonly rank: number;
  readonly total: number;
  readonly range: readonly [best: number, worst: number];
}

/** What is said of one DAO: its score with interval and ranks, or in a sentence why it has none. */
export function daoSentence(
  name: string,
  [low, high]: readonly [number, number],
  place: Place | string,
  source: Omit<Cited, "quote">,
): string {
  const between = `between ${spell.score(low)} and ${spell.score(high)}`;
  if (typeof place === "string") {
    return `${name} has no governance score (GVS): ${place} It would be ${between} of 10, ${citation(source)}.`;
  }
  const { gvs, rank, total, range } = place;
  const ranks = rangeText(String(range[0]), String(range[1]), " to ");
  return `${name} has a governance score (GVS) of ${spell.score(gvs)} of 10, ${between}, rank ${rank} of ${total} (its interval allows ${ranks}), ${citation(source)}.`;
}
