import { PipelineError } from "../../facts/errors.ts";
import type { SpaceSink } from "../../facts/governance-source.ts";
import type { RowTally } from "../upstream/row-error.ts";
import type { HubDoor } from "./ask-hub.ts";

/** What a hub said, as it said it: enough to write an archive from (votes with the reason's text left out). */
export interface HubObject {
  readonly kind: "space" | "proposal" | "vote";
  readonly spaceId: string;
  readonly object: unknown;
}

/** One DAO's fetch: where from, where to, and how much at a time. */
export interface HubReading {
  readonly door: HubDoor;
  readonly spaceId: string;
  readonly sink: SpaceSink;
  readonly pageSize: number;
  readonly nowMs: number;
  /** What is held counts for nothing. */
  readonly isFull: boolean;
  /** What this hub may still make us keep, and withhold of what is asked for alone; of all DAOs of a run together. */
  readonly budget: { votes: number; withheldAlone: number };
  readonly record: (object: HubObject) => void;
}

const SHORT_STARKNET = /^0x[0-9a-fA-F]{41,63}$/;
const ADDRESS = /^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** A Starknet address may be written without its leading zeros; padded, each has one spelling. */
export function paddedAddress(address: string): string {
  return SHORT_STARKNET.test(address) ? `0x${address.slice(2).padStart(64, "0")}` : address;
}

/** The voters of rows in the spelling in which they get their numbers; what is no address is left to be refused. */
export function votersOf(rows: readonly unknown[]): readonly string[] {
  const voters = new Set<string>();
  for (const row of rows) {
    const voter = typeof row === "object" && row !== null && "voter" in row ? row.voter : undefined;
    const address = typeof voter === "string" ? paddedAddress(voter).toLowerCase() : "";
    if (ADDRESS.test(address)) voters.add(address);
  }
  return [...voters];
}

/** What the hub allows in one request, and where we stop. The first three are the hub's own. */
export const HUB_LIMITS = {
  pageSizeMax: 1_000,
  skipMax: 5_000,
  idsMax: 100,
  /** Several times the proposals of the largest space of the hub. */
  proposalsMax: 200_000,
  /** As many as one ballot can hold. */
  votesMax: 2 ** 21,
  /** Of all proposals of all spaces in one run, at 15 bytes each: several times those of the whole hub. */
  votesPerRunMax: 200_000_000,
  /** Of one run, each at the cost of as many requests as a page can be halved: a hub that has more is not itself. */
  withheldAloneMax: 300,
  /** Links and distinct strategies of all proposals of a space: ten times those of the largest. */
  textLengthMax: 32 * 1024 * 1024,
  /** More proposals than these, when they are also more than this share of those that are looked for, vanish by a fault. */
  vanishedMax: 10,
  vanishedShareMax: 0.5,
  /** Of an answer with more malformed rows than this the rest is not trusted either. */
  malformedShareMax: 0.1,
} as const;

/** How far back proposals are asked for again at each fetch: what may still be judged may still change. */
export const FRAME_DAYS = 730;

/** A ballot that lacks votes is asked for again this long after its end; a count that is wrong by then stays wrong. */
export const RETRY_DAYS = 30;

/** Throws `PipelineError` SOURCE_FAILED where more rows are malformed than a hub's ever are. `kind` names them. */
export function judgeRows(kind: string, { rows, malformed }: RowTally): void {
  if (malformed <= rows * HUB_LIMITS.malformedShareMax) return;
  throw new PipelineError("SOURCE_FAILED", `${malformed} of ${rows} ${kind} of the hub are malformed`, {
    hint: "The reasons are among the rejected rows. What was fetched before is kept.",
  });
}
