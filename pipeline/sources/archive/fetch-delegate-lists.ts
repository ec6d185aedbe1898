import { readdirSync } from "node:fs";
import { join } from "node:path";
import { PipelineError } from "../../base/pipeline-error.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import { parseEvmAddress } from "../upstream/parse-address.ts";
import { parseDay } from "../upstream/parse-moment.ts";
import { parseShape } from "../upstream/parse-shape.ts";
import { RowError } from "../upstream/row-error.ts";
import { DelegateListFile, DelegateRow } from "./delegate-list-file.ts";
import { ifPresent } from "./disk-errors.ts";
import { ARCHIVE_LIMITS } from "./limits.ts";
import { type Decimal, parseDecimal, scaledTo } from "./parse-decimal.ts";
import { readDocument } from "./read-document.ts";
import type { ArchiveReading } from "./read-rows.ts";
import { createRowTally, type RowTally } from "./row-tally.ts";

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
      reading.sink.reject({ file: folder, line: undefined, code: "LIST_DATE_INVALID", message });
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
  sink.putDelegateList({
    spaceId,
    date,
    asOfMs,
    // Where a row had to be left out, a total over the rest would be too small.
    isComplete: list.complete && delegates.length === list.delegates.length,
    decimals,
    // An archive is as old as what it holds; when it was copied says nothing.
    fetchedAtMs: asOfMs,
    delegates: delegates.map(({ votes, ...delegate }) => ({ ...delegate, votes: scaledTo(votes, decimals) })),
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
