import { stringify } from "csv-stringify/sync";
import { z } from "zod";
import { encodeLines } from "../format/canonical-json.ts";
import { DelegateDay } from "../format/delegate-day.ts";
import { DelegateItem } from "../format/delegates.ts";
import { PATHS } from "../format/paths.ts";
import { ProposalLine } from "../format/proposal-line.ts";
import type { PublishedEvidence, PublishedListing, PublishedSet } from "../format/published-set.ts";
import type { RunReport } from "../format/run-report.ts";
import { FILE_SHAPES, type FileKind } from "./document-layout.ts";
import { encodeDocument, refuseUnlessShaped } from "./encode-document.ts";
import { type RenderedFile, renderedFile } from "./rendered-file.ts";

const CSV_COLUMNS = Object.keys(DelegateItem.shape);

function json(kind: FileKind, path: string, value: unknown): RenderedFile {
  return renderedFile(encodeDocument(path, FILE_SHAPES[kind], value), {
    path,
    records: Array.isArray(value) ? value.length : 1,
    media_type: "application/json",
  });
}

/** Rows of a whole ranking as CSV lines, each with its newline, without the header. */
export function delegateLines(items: readonly DelegateItem[]): string {
  // A name from outside that begins like a formula would run in the reader's spreadsheet.
  return stringify([...items], { columns: CSV_COLUMNS, escape_formulas: true });
}

/** The first line of `all.csv`. */
export const DELEGATE_HEADER = `${CSV_COLUMNS.join(",")}\n`;

function wholeListing(listing: PublishedListing): RenderedFile {
  const path = PATHS.wholeListing(listing.spaceId);
  const items = refuseUnlessShaped(path, () => z.array(DelegateItem).parse(listing.all));
  return renderedFile(Buffer.from(DELEGATE_HEADER + delegateLines(items), "utf8"), {
    path,
    records: items.length,
    media_type: "text/csv",
  });
}

const DAY_COLUMNS = Object.keys(DelegateDay.shape);

/** What each dated listing was made from, as a whole file; a list without a block has nothing there. */
export function delegateDays(days: readonly DelegateDay[]): Buffer {
  return Buffer.from(stringify([...days], { header: true, columns: DAY_COLUMNS }), "utf8");
}

function daysFile({ spaceId, days = [] }: PublishedListing): RenderedFile[] {
  if (days.length === 0) return [];
  const path = PATHS.delegateDays(spaceId);
  const rows = refuseUnlessShaped(path, () => z.array(DelegateDay).parse(days));
  return [renderedFile(delegateDays(rows), { path, records: rows.length, media_type: "text/csv" })];
}

function listingFiles(listing: PublishedListing): RenderedFile[] {
  const { spaceId } = listing;
  return [
    json("latest-listing", PATHS.latestListing(spaceId), listing.latest),
    ...listing.dated.map(({ date, listing: dated }) =>
      json("dated-listing", PATHS.datedListing(spaceId, date), dated),
    ),
    ...daysFile(listing),
    wholeListing(listing),
  ];
}

function evidenceFiles({ evidence, proposals }: PublishedEvidence): RenderedFile[] {
  const path = PATHS.proposals(evidence.space_id);
  const lines = refuseUnlessShaped(path, () => encodeLines(ProposalLine, proposals));
  return [
    json("evidence", PATHS.evidence(evidence.space_id), evidence),
    renderedFile(lines, { path, records: proposals.length, media_type: "application/x-ndjson" }),
  ];
}

/** Every document of a set as bytes, each parsed under its shape; throws `DOCUMENT_INVALID` naming file and field. */
export function renderDocuments(set: PublishedSet, run: RunReport): readonly RenderedFile[] {
  return [
    json("daos", PATHS.daos, set.daos),
    json("unscored", PATHS.unscored, set.unscored),
    json("run", PATHS.run, run),
    ...(set.dgi === undefined ? [] : [json("dgi", PATHS.dgi, set.dgi)]),
    ...(set.dgiHistory === undefined ? [] : [json("dgi-history", PATHS.dgiHistory, set.dgiHistory)]),
    ...set.details.map((detail) => json("dao", PATHS.dao(detail.space_id), detail)),
    ...set.risks.map((risk) => json("risk", PATHS.risk(risk.space_id), risk)),
    ...set.entities.map((entity) => json("entity", PATHS.entity(entity.entity_id), entity)),
    ...set.histories.map((history) => json("history", PATHS.history(history.space_id), history)),
    ...set.listings.flatMap(listingFiles),
    ...set.graphs.map((graph) => json("graph", PATHS.graph(graph.space_id), graph)),
    ...set.evidence.flatMap(evidenceFiles),
  ];
}
