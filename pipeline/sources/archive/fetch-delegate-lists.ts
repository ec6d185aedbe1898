import { readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { sourceFailed } from "../../facts/errors.ts";
import type { SpaceSink } from "../../facts/governance-source.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import { parseEvmAddress } from "../upstream/parse-values.ts";
import { createRowTally, parseShape, type RowTally, reject, rowFailure } from "../upstream/row-error.ts";
import { ARCHIVE_LIMITS, ifPresent, readDocument } from "./read-document.ts";
import { type ArchiveReading, judgeFile } from "./read-rows.ts";

/** `delegates/<space_id>/<YYYY-MM-DD>.json`. Rows are parsed one by one, so a bad row does not spoil the others. */
const DelegateListFile = z.object({
  as_of: z.iso.datetime(),
  complete: z.boolean(),
  /** Whether every name was confirmed to resolve to its wallet; otherwise the names are unverified claims. */
  ens_confirmed: z.boolean().default(false),
  delegates: z.array(z.unknown()),
});

/** One delegate of the file; `votes` in whole tokens, as a decimal number. */
const DelegateRow = z.object({
  address: z.string(),
  votes: z.string(),
  delegators: z.int().min(0),
  ens: z.string().nullish(),
});

const DATED = /^(\d{4}-\d{2}-\d{2})\.json$/;

/** Reads every `delegates/<space_id>/<date>.json`, oldest first; returns whether there is one. */
export async function fetchDelegateLists(reading: ArchiveReading, spaceId: string): Promise<boolean> {
  const folder = `delegates/${spaceId}`;
  const names = await ifPresent(folder, () => readdirSync(join(reading.directory, folder)));
  const visible = (names ?? []).filter((name) => !name.startsWith(".")).sort();
  if (visible.length > ARCHIVE_LIMITS.listsMax) {
    throw sourceFailed(`${folder} holds more than ${ARCHIVE_LIMITS.listsMax} files`);
  }
  for (const name of visible) {
    const date = DATED.exec(name)?.[1];
    if (date !== undefined) await fetchDelegateList(reading, spaceId, date);
    else {
      const message = "a file name is not YYYY-MM-DD.json";
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
  if (list.as_of.slice(0, 10) !== date) {
    return reject(sink, { file }, "LIST_DATE_INVALID", "as_of is not on the day in the file name");
  }
  const rows = createRowTally(sink);
  const taken = readDelegates(list.delegates, file, sink, rows);
  const delegates = list.ens_confirmed ? taken : taken.map((delegate) => ({ ...delegate, ens: undefined }));
  judgeFile(file, rows);
  const decimals = delegates.reduce((most, { votes }) => Math.max(most, votes.decimals), 0);
  const asOfMs = Date.parse(list.as_of);
  sink.put({
    kind: "delegate-list",
    list: {
      spaceId,
      date,
      asOfMs,
      // With a row left out, a total over the rest would be too small.
      isComplete: list.complete && delegates.length === list.delegates.length,
      decimals,
      // The time when the archive was copied does not matter; its data is as old as this.
      fetchedAtMs: asOfMs,
      delegates: delegates.map(({ votes, ...delegate }) => ({
        ...delegate,
        votes: votes.digits * 10n ** BigInt(decimals - votes.decimals),
      })),
    },
  });
}

/** The valid delegates of a list. A name that needs cleaning is dropped: it is not the name that was verified. */
function readDelegates(rows: readonly unknown[], file: string, sink: SpaceSink, tally: RowTally) {
  const seen = new Set<string>();
  const delegateOf = (row: unknown, prefix: string) => {
    const { address: given, votes, delegators, ens } = parseShape(DelegateRow, row);
    const address = parseEvmAddress(given, "address");
    if (seen.has(address)) throw rowFailure("DELEGATE_DUPLICATE", "an earlier delegate has the same address");
    const delegate = { address, votes: parseDecimal(votes, "votes"), delegatorsCount: delegators };
    seen.add(address);
    if (ens == null || upstreamText(ens) === ens) return { ...delegate, ens: ens ?? undefined };
    const message = `${prefix}ens contains characters that are not published; the name is dropped`;
    reject(sink, { file }, "NAME_UNSAFE", message);
    return { ...delegate, ens: undefined };
  };
  return rows.flatMap((row, index) => {
    const prefix = `delegate ${index + 1}: `;
    return tally.row({ file, line: undefined, prefix }, () => delegateOf(row, prefix)) ?? [];
  });
}

/** Tokens rarely have more than 18 decimals, and amounts fit into 256 bits (78 digits). */
const DECIMAL = /^(\d{1,78})(?:\.(\d{1,30}))?$/;

/** Parses votes in whole tokens, exactly: `digits` / 10^`decimals`. Throws `POWER_INVALID`. */
function parseDecimal(text: string, what: string) {
  const [, whole, fraction = ""] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) {
    throw rowFailure(
      "POWER_INVALID",
      `${what} is not a non-negative decimal number with at most 30 decimals`,
    );
  }
  const significant = fraction.replace(/0+$/, "");
  return { digits: BigInt(whole + significant), decimals: significant.length };
}
