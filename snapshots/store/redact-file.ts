import { bareGraph } from "../format/bare-graph.ts";
import type { TopEntity } from "../format/dao.ts";
import { bareRow, type HiddenNames } from "../format/hidden-entities.ts";
import type { ManifestFile } from "../format/manifest.ts";
import { FILE_SHAPES, placeOf } from "./document-layout.ts";
import { encodeDocument } from "./encode-document.ts";
import { parseJsonFile } from "./parse-json-file.ts";
import { redactCsv } from "./redact-csv.ts";
import { SnapshotError } from "./snapshot-error.ts";

/** What is taken out of one version, and what comes in its place. */
export interface Redaction {
  readonly hidden: HiddenNames;
  /** Of every DAO, made of the entities that stay. */
  readonly topEntities: ReadonlyMap<string, readonly TopEntity[]>;
  /** How many entities stay. */
  readonly entitiesCount: number;
}

/** Anything that looks like a wallet or an entity's id, wherever in a text it stands. */
const IDENTIFIER = /0x[0-9a-f]{40}|ent_[0-9a-z]{26}/gi;

/** The one file of rows that are delegates and no JSON. */
const WHOLE_LISTING = /^delegates\/[^/]+\/all\.csv$/;

/** Throws `DOCUMENT_INVALID` where a text still names somebody hidden; only rankings may hold a hidden wallet, as a bare row. */
function assertSilent(path: string, bytes: Buffer, { ids, wallets }: HiddenNames): void {
  const mayHoldWallets = path.startsWith("delegates/") || placeOf(path)?.kind === "graph";
  for (const [found] of bytes.toString("utf8").matchAll(IDENTIFIER)) {
    const name = found.toLowerCase();
    if (!ids.has(name) && (mayHoldWallets || !wallets.has(name))) continue;
    throw new SnapshotError("DOCUMENT_INVALID", `${path}: would go on naming an entity that opted out`, {
      path,
    });
  }
}

function redactJson({ path }: ManifestFile, bytes: Buffer, redaction: Redaction): Buffer | undefined {
  const place = placeOf(path);
  const { hidden } = redaction;
  if (place?.kind === "entity") return hidden.ids.has(place.id) ? undefined : bytes;
  if (place?.kind === "dao") {
    const detail = parseJsonFile(path, bytes, FILE_SHAPES.dao);
    if (!detail.top_entities.some((each) => hidden.ids.has(each.entity_id))) return bytes;
    const top_entities = [...(redaction.topEntities.get(detail.space_id) ?? [])];
    return encodeDocument(path, FILE_SHAPES.dao, { ...detail, top_entities });
  }
  if (place?.kind === "latest-listing" || place?.kind === "dated-listing") {
    const listing = parseJsonFile(path, bytes, FILE_SHAPES[place.kind]);
    const delegates = listing.delegates.map((item) => bareRow(item, hidden));
    if (delegates.every((item, index) => item === listing.delegates[index])) return bytes;
    return encodeDocument(path, FILE_SHAPES[place.kind], { ...listing, delegates });
  }
  if (place?.kind === "graph") {
    const graph = parseJsonFile(path, bytes, FILE_SHAPES.graph);
    const bare = bareGraph(graph, hidden);
    return bare === graph ? bytes : encodeDocument(path, FILE_SHAPES.graph, bare);
  }
  if (place?.kind === "run") {
    const report = parseJsonFile(path, bytes, FILE_SHAPES.run);
    if (report.counts.entities_published === redaction.entitiesCount) return bytes;
    const counts = { ...report.counts, entities_published: redaction.entitiesCount };
    return encodeDocument(path, FILE_SHAPES.run, { ...report, counts });
  }
  return bytes;
}

/**
 * The bytes of a file without whom opted out: the very same where it names nobody, nothing where it was all about one
 * of them. Throws `SnapshotError` where a file still names somebody afterwards.
 */
export function redactFile(entry: ManifestFile, bytes: Buffer, redaction: Redaction): Buffer | undefined {
  const { path } = entry;
  const redacted = WHOLE_LISTING.test(path)
    ? redactCsv(path, bytes, redaction.hidden)
    : redactJson(entry, bytes, redaction);
  if (redacted === undefined) return undefined;
  assertSilent(path, redacted, redaction.hidden);
  return redacted.equals(bytes) ? bytes : redacted;
}
