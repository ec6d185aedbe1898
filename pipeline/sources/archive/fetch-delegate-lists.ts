import { readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { PipelineError } from "../../facts/errors.ts";
import type { SpaceSink } from "../../facts/governance-source.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import { parseDay, parseEvmAddress } from "../upstream/parse-values.ts";
import { createRowTally, parseShape, RowError, type RowTally, reject } from "../upstream/row-error.ts";
import { ARCHIVE_LIMITS, ifPresent, readDocument } from "./read-document.ts";
import { type ArchiveReading, judgeFile } from "./read-rows.ts";

/** `delegates/<space_id>/<YYYY-MM-DD>.json`; its rows are read one by one, so that a bad one spoils no other. */
const DelegateListFile = z.object({
  as_of: z.iso.datetime(),
  complete: z.boolean(),
  /** Whether every name in it leads back to its wallet; without it, names are what somebody claims to be called. */
  ens_confirmed: z.boolean().default(false),
  delegates: z.array(z.unknown()),
});
type DelegateListFile = z.infer<typeof DelegateListFile>;

/** One delegate of such a file; `votes` in whole tokens, as decimal digits. */
const DelegateRow = z.object({
  address: z.string(),
  votes: z.string(),
  delegators: z.int().min(0),
  ens: z.string().nullish(),
});

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
      reject(reading.sink, { file: folder }, "LIST_DATE_INVALID", message);
    }
  }
  return visible.length > 0;
}

async function fetchDelegateList(reading: ArchiveReading, spaceId: string, date: string): Promise<void> {
  const { directory, sink } = reading;
  const file = `delegates/${spaceId}/${date}.json`;
  const document = await readDocument(directory, file);
  if (document === undefined) return;
  const whole = createRowTally(sink);
  const list = whole.row({ file, line: undefined }, () => parseShape(DelegateListFile, document()));
  judgeFile(file, whole);
  if (list === undefined) return;
  const dateError = dateErrorOf(list, date);
  if (dateError !== undefined) {
    reject(sink, { file }, "LIST_DATE_INVALID", dateError);
    return;
  }
  const rows = createRowTally(sink);
  const taken = readDelegates(list.delegates, file, sink, rows);
  const delegates = list.ens_confirmed ? taken : taken.map((each) => ({ ...each, ens: undefined }));
  judgeFile(file, rows);
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

/** Why the list is not of the day in its file's name; `undefined` where it is. */
function dateErrorOf(list: DelegateListFile, date: string): string | undefined {
  try {
    parseDay(date, "the file's name");
  } catch (error) {
    if (error instanceof RowError) return error.message;
    throw error;
  }
  return list.as_of.slice(0, 10) === date ? undefined : "as_of is not of the day in the file's name";
}

/** The delegates of a list that can be taken; a name that has to be cleaned is not the one that was verified. */
function readDelegates(rows: readonly unknown[], file: string, sink: SpaceSink, tally: RowTally) {
  const seen = new Set<string>();
  const delegateOf = (row: unknown, prefix: string) => {
    const { address: given, votes, delegators, ens } = parseShape(DelegateRow, row);
    const address = parseEvmAddress(given, "address");
    if (seen.has(address)) throw new RowError("DELEGATE_DUPLICATE", "an earlier one has the same address");
    const delegate = { address, votes: parseDecimal(votes, "votes"), delegatorsCount: delegators };
    seen.add(address);
    if (ens == null || upstreamText(ens) === ens) return { ...delegate, ens: ens ?? undefined };
    const message = `${prefix}ens holds characters that are not published; taken without it`;
    reject(sink, { file }, "NAME_UNSAFE", message);
    return { ...delegate, ens: undefined };
  };
  return rows.flatMap((row, index) => {
    const prefix = `delegate ${index + 1}: `;
    return tally.row({ file, line: undefined, prefix }, () => delegateOf(row, prefix)) ?? [];
  });
}

/** A decimal number, exact: `digits` over ten to the power of `decimals`. */
interface Decimal {
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
