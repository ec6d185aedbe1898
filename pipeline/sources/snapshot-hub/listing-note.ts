import { z } from "zod";
import { DAY_MS } from "../../base/days.ts";
import { FRAME_DAYS } from "./limits.ts";

/** What the last complete fetch of a DAO listed: every proposal that ended at `fromS` or later, as of `atMs`. */
const ListingNote = z.object({ fromS: z.int().min(0), atMs: z.number() });
type ListingNote = z.infer<typeof ListingNote>;

/** The end, in seconds, from which proposals are listed; 0 lists them all. */
export function listFromS(given: {
  readonly note: string | undefined;
  /** `--since`. */
  readonly sinceMs: number | undefined;
  readonly isFull: boolean;
  readonly nowMs: number;
}): number {
  const wantedS = Math.max(0, Math.floor((given.sinceMs ?? 0) / 1000));
  const last = parseNote(given.note);
  if (given.isFull || last === undefined || last.fromS > wantedS) return wantedS;
  return Math.max(wantedS, frameFromS(last, given.nowMs));
}

/** The note to leave after a listing from `fromS`. */
export function writeNote(before: string | undefined, fromS: number, nowMs: number): string {
  const last = parseNote(before);
  // Further back than ever: whatever was listed before was listed again.
  if (last === undefined || fromS < last.fromS) return textOf({ fromS, atMs: nowMs });
  // What is older stays listed; as of now only where the listing left out nothing that may have changed.
  const isWhole = fromS <= Math.max(last.fromS, frameFromS(last, nowMs));
  return textOf({ fromS: last.fromS, atMs: isWhole ? nowMs : last.atMs });
}

/** What was in the frame at the last listing may have changed since, however long ago that was. */
function frameFromS({ atMs }: ListingNote, nowMs: number): number {
  return Math.floor((Math.min(nowMs, atMs) - FRAME_DAYS * DAY_MS) / 1000);
}

function textOf(note: ListingNote): string {
  return JSON.stringify(note);
}

function parseNote(text: string | undefined): ListingNote | undefined {
  if (text === undefined) return undefined;
  try {
    return ListingNote.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
