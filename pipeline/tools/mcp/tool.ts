import { z } from "zod";
import { MethodologyVersion, roundTo, SCORE_DECIMALS, Timestamp } from "../../../snapshots/format/ids.ts";
import type { Settings } from "../../home/settings.ts";
import { spell } from "../spell.ts";

/** One tool: what it is for, what it takes, and what it answers. */
export interface PublishedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodType;
  readonly outputSchema: z.ZodType;
  run(settings: Settings, input: unknown): Promise<Record<string, unknown>>;
}

/** A tool whose answers are checked by the compiler against its shapes. */
export function tool<Input extends z.ZodType, Shape extends z.ZodRawShape>(described: {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly output: Shape;
  run(settings: Settings, input: z.output<Input>): Promise<z.input<z.ZodObject<Shape>> & Cited>;
}): PublishedTool {
  const { name, description, input, output, run } = described;
  const outputSchema = z.object({ ...CITED, ...output });
  return {
    name,
    description,
    inputSchema: input,
    outputSchema,
    // The server passes on what the input's schema has parsed; the other takes away what it does not describe.
    run: async (settings, given) => outputSchema.parse(await run(settings, given as z.output<Input>)),
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

/** Where a sentence comes from, at its end. */
export const citation = ({ as_of, methodology_version }: Omit<Cited, "quote">): string =>
  `as of ${spell.moment(as_of)}, by method ${methodology_version} of govdata`;

const between = ([low, high]: readonly [number, number]): string =>
  `between ${spell.score(low)} and ${spell.score(high)}`;

/** What is said of one DAO: its score with interval and ranks, or why it has none. */
export function daoSentence(
  dao: {
    readonly name: string;
    readonly gvs: number | null;
    readonly interval: readonly [number, number];
    readonly place?: string | undefined;
    /** A sentence, if there is no score. */
    readonly noScoreBecause?: string | undefined;
  },
  source: Omit<Cited, "quote">,
): string {
  const { name, gvs, interval, place = "", noScoreBecause } = dao;
  if (gvs === null) {
    return `${name} has no governance score (GVS): ${noScoreBecause} It would be ${between(interval)} of 10, ${citation(source)}.`;
  }
  return `${name} has a governance score (GVS) of ${spell.score(gvs)} of 10, ${between(interval)}${place}, ${citation(source)}.`;
}

/** A rank, at the end of a sentence. */
export const placeOf = (rank: number, total: number, [best, worst]: readonly [number, number]): string =>
  `, rank ${rank} of ${total} (its interval allows ${best === worst ? best : `${best} to ${worst}`})`;
