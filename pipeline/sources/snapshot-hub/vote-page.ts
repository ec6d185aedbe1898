import { z } from "zod";

/** A page of votes as it is kept between an interrupted fetch and the next one. */
const VotePage = z.object({
  /** What the proposal was when the page was asked for; of another one it is worth nothing. */
  basis: z.string(),
  cursor: z.object({ createdGte: z.int().min(0), skip: z.int().min(0) }),
  isLast: z.boolean(),
  rows: z.array(z.unknown()),
});
export type VotePage = z.infer<typeof VotePage>;

const FIELDS = ["id", "proposal", "voter", "created", "choice", "vp", "vp_state"] as const;

/** The page as text. */
export function writeVotePage(page: VotePage): string {
  return JSON.stringify(page);
}

/** Back from `writeVotePage`; `undefined` for anything else. */
export function parseVotePage(text: string | undefined): VotePage | undefined {
  if (text === undefined) return undefined;
  try {
    return VotePage.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/**
 * What we read of a vote, in a form that outlives being written as JSON. Of a reason only that there is one; a
 * number that JSON cannot hold (`1e309` is Infinity here) becomes −1, which is refused for the same cause.
 */
export function slimVote(row: unknown): unknown {
  if (typeof row !== "object" || row === null || Array.isArray(row)) return null;
  const slim: Record<string, unknown> = {};
  const given = new Map(Object.entries(row));
  for (const field of FIELDS) {
    if (given.has(field)) slim[field] = writable(given.get(field));
  }
  const reason = given.get("reason");
  if (reason !== undefined) slim["reason"] = typeof reason === "string" ? reasonMark(reason) : reason;
  return slim;
}

function reasonMark(reason: string): string {
  return reason.trim() === "" ? "" : "given";
}

function writable(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : -1;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(writable);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, writable(inner)]));
}
