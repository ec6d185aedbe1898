import { readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PipelineError } from "../../facts/errors.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import { parseDay, parseEvmAddress } from "../upstream/parse-values.ts";
import { parseShape, RowError } from "../upstream/row-error.ts";
import { ARCHIVE_LIMITS, ifPresent, readDocument } from "./read-document.ts";
import { type ArchiveReading, createRowTally, type RowTally } from "./read-rows.ts";

/** `delegates/<space_id>/<YYYY-MM-DD>.json`; its rows are read one by one, so that a bad one spoils no other. */
export const DelegateListFile = z.object({
  as_of: z.iso.datetime(),
  complete: z.boolean(),
  delegates: z.array(z.unknown()),
});
export type DelegateListFile = z.infer<typeof DelegateListFile>;

/** One delegate of such a file; `votes` in whole tokens, as decimal digits. */
export const DelegateRow = z.object({
  address: z.string(),
  votes: z.string(),
  delegators: z.int().min(0),
  ens: z.string().nullish(),
});
export type DelegateRow = z.infer<typeof DelegateRow>;

/** A decimal number, exact: `digits` over ten to the power of `decimals`. */
export interface Decimal {
  readonly digits: bigint;
  readonly decimals: number;
}

/** No token has more decimals than 18 by much, and none more units than fit into 256 bits (78 digits). */
const DECIMAL = /^(\d{1,78})(?:\.(\d{1,30}))?$/;

/** Votes in whole tokens, as a list writes them. Throws `RowError` POWER_INVALID. */
export function parseDecimal(text: string, what: string): Decimal {
  const [, whole, fraction = ""] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) {
    throw new RowError(
      "POWER_INVALID",
      `${what} is not a decimal number from 0 up with at most 30 digits after the point`,
    );
  }
  const significant = fraction.replace(/0+$/, "");
  return { digits: BigInt(whole + significant), decimals: significant.length };
}

/** The same number with more decimals, in the smallest unit of those. */
export function scaledTo({ digits, decimals }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - decimals);
}

const DATED = /^(\d{4}-\d{2}-\d{2})\.json$/;

/** Takes every `delegates/<space_id>/<date>.json`, oldest first; answers whether there is one. */
export async function fetchDelegateLists(reading: ArchiveReading, spaceId: string): Promise<boolean> {
  const folder = `delegates/${spaceId}`;
  const names = await ifPresent(folder, () => readdirSync(join(reading.directory, folder)));
  const visible = (names ?? []).filter((name) => !name.startsWith(".")).sort();
  if (visible.length > ARCHIVE_LIMITS.listsMax) {
    throw new PipelineError("SOURCE_FAILED", `${folder} holds more than ${ARCHIVE_LIMITS.listsMax} files`);
  }
  for (const name of visible) {
    const date = DATED.exec(name)?.[1];
    if (date !== undefined) await fetchDelegateList(reading, spaceId, date);
    else {
      const message = "a file whose name is not YYYY-MM-DD.json";
      reading.sink.put({
        kind: "rejection",
        file: folder,
        line: undefined,
        code: "LIST_DATE_INVALID",
        message,
      });
    }
  }
  return visible.length > 0;
}

async function fetchDelegateList(reading: ArchiveReading, spaceId: string, date: string): Promise<void> {
  const { directory, sink } = reading;
  const file = `delegates/${spaceId}/${date}.json`;
  const document = await readDocument(directory, file);
  if (document === undefined) return;
  const whole = createRowTally(file, sink);
  let list: DelegateListFile | undefined;
  whole.row({ line: undefined }, () => {
    list = parseShape(DelegateListFile, document.value());
  });
  whole.judge();
  if (list === undefined || !isOfDay(list, date, whole)) return;
  const rows = createRowTally(file, sink);
  const delegates = readDelegates(list.delegates, rows);
  rows.judge();
  const decimals = delegates.reduce((most, { votes }) => Math.max(most, votes.decimals), 0);
  const asOfMs = Date.parse(list.as_of);
  sink.put({
    kind: "delegate-list",
    list: {
      spaceId,
      date,
      asOfMs,
      // Where a row had to be left out, a total over the rest would be too small.
      isComplete: list.complete && delegates.length === list.delegates.length,
      decimals,
      // An archive is as old as what it holds; when it was copied says nothing.
      fetchedAtMs: asOfMs,
      delegates: delegates.map(({ votes, ...delegate }) => ({
        ...delegate,
        votes: scaledTo(votes, decimals),
      })),
    },
  });
}

function isOfDay(list: DelegateListFile, date: string, tally: RowTally): boolean {
  try {
    parseDay(date, "the file's name");
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    tally.note({ line: undefined }, new RowError("LIST_DATE_INVALID", error.message));
    return false;
  }
  if (list.as_of.slice(0, 10) === date) return true;
  tally.note(
    { line: undefined },
    new RowError("LIST_DATE_INVALID", "as_of is not of the day in the file's name"),
  );
  return false;
}

interface ReadDelegate {
  readonly address: string;
  readonly votes: Decimal;
  readonly delegatorsCount: number;
  readonly ens: string | undefined;
}

function readDelegates(rows: readonly unknown[], tally: RowTally): ReadDelegate[] {
  const byAddress = new Map<string, ReadDelegate>();
  for (const [index, row] of rows.entries()) {
    const place = { line: undefined, prefix: `delegate ${index + 1}: ` };
    tally.row(place, () => {
      const { address: given, votes, delegators, ens } = parseShape(DelegateRow, row);
      const address = parseEvmAddress(given, "address");
      if (byAddress.has(address))
        throw new RowError("DELEGATE_DUPLICATE", "an earlier one has the same address");
      byAddress.set(address, {
        address,
        votes: parseDecimal(votes, "votes"),
        delegatorsCount: delegators,
        ens: nameOf(ens, index, tally),
      });
    });
  }
  return [...byAddress.values()];
}

/** A name that has to be cleaned is not the name that was verified: the delegate stays, without it. */
function nameOf(ens: string | null | undefined, index: number, tally: RowTally): string | undefined {
  if (ens == null || upstreamText(ens) === ens) return ens ?? undefined;
  const message = `delegate ${index + 1}: ens holds characters that are not published; taken without it`;
  tally.note({ line: undefined }, new RowError("NAME_UNSAFE", message));
  return undefined;
}
