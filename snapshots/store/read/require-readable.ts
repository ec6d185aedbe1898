import type { z } from "zod";
import type { SqliteDatabase } from "../../base/sqlite.ts";
import { DelegateSummary } from "../../format/delegates.ts";
import { identifyFile } from "../../format/documents.ts";
import { type DocumentKind, ENVELOPES, Meta } from "../../format/envelope.ts";
import { LISTING_ROWS_PER_CUT } from "../../format/limits.ts";
import type { Manifest } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { CATEGORIES, WEIGHT_TIERS } from "../../format/value-sets.ts";
import type { DocumentRow, ListingRow } from "./index-schema.ts";
import { parseJsonFile } from "./read-pointer.ts";
import { invalidFile, orRefusal } from "./snapshot-error.ts";
import { encodingTroubles } from "./snapshot-reader.ts";
import { openFile } from "./verified-file.ts";

/** A listing has its first rows, and as many of each tier. */
const LISTING_ROWS_MAX = LISTING_ROWS_PER_CUT * (WEIGHT_TIERS.length + 1);

const DELEGATES = `SELECT space_id, count(*) AS rows,
  min(CASE WHEN json_valid(json) THEN json_type(json) = 'object' ELSE 0 END) AS isJson,
  min(weight_tier IN (${WEIGHT_TIERS.map((tier) => `'${tier}'`).join(", ")})) AS isOfTier
  FROM delegates GROUP BY space_id`;

interface DelegatesRow {
  readonly space_id: string;
  readonly rows: number;
  readonly isJson: 0 | 1;
  readonly isOfTier: 0 | 1;
}

/**
 * Refuses an index with rows that could not be served, or that would unpack to more than they say. Hashes do not show
 * that: they only prove that whoever wrote the manifest wanted these bytes. Each request for such a row would fail while
 * the server calls itself ready.
 */
export function requireReadableRows(index: SqliteDatabase): void {
  for (const row of index.prepare<[], DocumentRow>("SELECT * FROM documents").iterate()) requireDocument(row);
  const list = index.prepare<[string]>("SELECT 1 FROM documents WHERE kind = 'daos' AND id = ?");
  for (const category of ["all", ...CATEGORIES]) {
    if (list.get(category) === undefined) throw unreadable(`daos ${category} is missing`);
  }
  const listings = index.prepare<[], ListingRow>("SELECT * FROM listings");
  for (const { space_id, meta, summary } of listings.iterate()) {
    requireShape(`the listing of ${space_id}`, Buffer.from(meta), Meta);
    requireShape(`the listing of ${space_id}`, Buffer.from(summary), DelegateSummary);
  }
  for (const { space_id, rows, isJson, isOfTier } of index.prepare<[], DelegatesRow>(DELEGATES).iterate()) {
    const name = `the listing of ${space_id}`;
    if (rows > LISTING_ROWS_MAX) throw unreadable(`${name} has ${rows} rows, more than ${LISTING_ROWS_MAX}`);
    if (isJson !== 1 || isOfTier !== 1) throw unreadable(`${name} contains a row that is no delegate`);
  }
}

function requireDocument(row: DocumentRow): void {
  const name = `${row.kind} ${row.id}`;
  if (!isServed(row.kind)) throw unreadable(`${name}: is of no kind that is served`);
  // Before it is parsed, because unpacking stops at the size of the body.
  for (const trouble of encodingTroubles(row)) throw unreadable(`${name} ${trouble}`);
  requireShape(name, row.body, ENVELOPES[row.kind]);
}

const isServed = (kind: string): kind is DocumentKind => Object.hasOwn(ENVELOPES, kind);

function requireShape(name: string, bytes: Buffer, shape: z.ZodType): void {
  const result = orRefusal(() => void parseJsonFile(name, bytes, shape));
  if (result !== undefined) throw unreadable(result.message, result.cause);
}

const unreadable = (message: string, cause?: unknown) => invalidFile(PATHS.index, message, cause);

/** Refuses a version whose dated listings are not all there. Their lines are verified whenever they are read. */
export async function requireMonths(directory: string, { files }: Pick<Manifest, "files">): Promise<void> {
  for (const file of files) {
    if (identifyFile(file.path)?.kind !== "delegateMonth") continue;
    await (await openFile(directory, file)).close();
  }
}
