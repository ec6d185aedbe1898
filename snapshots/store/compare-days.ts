import { unless } from "../format/agreement/disagreement.ts";
import { DelegateDay } from "../format/delegate-day.ts";
import type { DelegateListing } from "../format/delegates.ts";
import type { ManifestFile } from "../format/manifest.ts";
import { delegateDays } from "./render-documents.ts";
import type { SnapshotProblem } from "./snapshot-problem.ts";

/** A dated listing and its day. */
export interface DatedDocument {
  readonly date: string;
  readonly listing: DelegateListing;
}

/** The rows of a `days.csv`; no field of it holds a comma or a quote. Nothing where a line is no day. */
function rowsOf(bytes: Buffer): readonly DelegateDay[] {
  const [, ...lines] = bytes.toString("utf8").trimEnd().split("\n");
  return lines.flatMap((line) => {
    const [date, block, asOf, source, delegates, total] = line.split(",");
    const row = DelegateDay.safeParse({
      date,
      block: block === "" ? null : Number(block),
      as_of: asOf,
      source,
      delegates: Number(delegates),
      total_votes: Number(total),
    });
    return row.success ? [row.data] : [];
  });
}

/** A file of days against the dated listings of its DAO: one line each, in their order, with as many delegates. */
export function compareDays(
  file: ManifestFile,
  bytes: Buffer,
  dated: readonly DatedDocument[],
): readonly SnapshotProblem[] {
  const rows = rowsOf(bytes);
  return [
    ...unless(delegateDays(rows).equals(bytes), file.path, "is not spelled canonically"),
    ...unless(rows.length === file.records, file.path, "does not hold as many lines as it says"),
    ...unless(
      rows.length === dated.length && rows.every((row, place) => row.date === dated[place]?.date),
      file.path,
      "is not of the days that have a listing",
    ),
    ...unless(
      rows.every((row, place) => row.delegates === dated[place]?.listing.total_delegates),
      file.path,
      "counts other delegates than the listing of the day",
    ),
    ...unless(
      rows.every((row) => (row.source === "logs") === (row.block !== null)),
      file.path,
      "names a block for a list, or none for logs",
    ),
  ];
}
