import type { z } from "zod";
import {
  DaoDetail,
  DaoHistory,
  DaoList,
  DgiHistory,
  PublishedDgi,
  RiskAssessment,
  UnscoredList,
} from "./dao.ts";
import { DATA_PACKAGE_PATH, DataPackage, TableSchema } from "./data-package.ts";
import { byMonth, DelegateDay, DelegateItem, DelegateListing, DelegationGraph } from "./delegates.ts";
import { Entity } from "./entity.ts";
import type { DocumentKind } from "./envelope.ts";
import { Evidence } from "./evidence.ts";
import { bareGraph, bareListing, bareRow, type Redaction, shownItems } from "./hidden-entities.ts";
import { CorrectionList } from "./imprint.ts";
import { type ManifestFile, RunReport } from "./manifest.ts";
import { ProposalLine } from "./proposal-line.ts";
import type { DaoDocuments, VersionLists } from "./published-set.ts";
import { Rankings } from "./rankings.ts";

/** The value of a shape, with a list made readonly. */
type ReadonlyList<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value;

interface Located<Value> {
  readonly id?: string;
  readonly month?: string;
  readonly value: ReadonlyList<Value>;
}

/** One kind of file in a version: everything that the gate, the store, the exports and redaction need to know. */
export interface FileRow<Path extends string = string, Value = unknown> {
  /** Relative to the version; `{id}` is the ID of a DAO or an entity, `{month}` is like `2026-10`. */
  readonly path: Path;
  /** For a table, the list of its rows. The manifest counts the items of a list as records, else one record. */
  readonly shape: z.ZodType<Value>;
  readonly mediaType: ManifestFile["media_type"];
  /** How the index stores it: as a whole envelope of this kind, or in the parts that callers request. */
  readonly indexed?: DocumentKind | "in parts";
  /** Messages use this name with an index, because the ID in the path may be of an entity that opted out. */
  readonly alias?: string;
  /** Whether a hidden wallet may remain in it as a bare address. */
  readonly mayHoldWallets?: true;
  ofLists?(lists: VersionLists): readonly Located<Value>[];
  /** Builds the files of this kind about single DAOs. Kinds with neither function are built elsewhere. */
  ofDaos?(documents: DaoDocuments): readonly Located<Value>[];
  /** Returns the redacted file: the same object if it names nobody hidden, undefined if it is about a hidden entity. */
  redact?(value: Value, redaction: Redaction): Value | undefined;
}

const MEDIA_TYPES = {
  json: "application/json",
  csv: "text/csv",
  ndjson: "application/x-ndjson",
} as const satisfies Record<string, ManifestFile["media_type"]>;
type Extension = keyof typeof MEDIA_TYPES;

const row = <const Path extends `${string}.${Extension}`, Value>(
  path: Path,
  shape: z.ZodType<Value>,
  about: Omit<FileRow<Path, Value>, "path" | "shape" | "mediaType"> = {},
): FileRow<Path, Value> => {
  const extension = path.slice(path.lastIndexOf(".") + 1) as Extension;
  return { path, shape, mediaType: MEDIA_TYPES[extension], ...about };
};

const one = <Value>(value: Value) => [{ value }];
const some = <Value>(value: Value | undefined) => (value === undefined ? [] : [{ value }]);
const ofSpaces = <Value extends { readonly space_id: string }>(values: readonly Value[]) =>
  values.map((value) => ({ id: value.space_id, value }));

/** Every kind of file in a version but the manifest, its signature and the index. To add a kind, add a row. */
export const DOCUMENTS = {
  daos: row("daos.json", DaoList, { indexed: "in parts", ofLists: ({ daos }) => one(daos) }),
  dao: row("daos/{id}.json", DaoDetail, {
    indexed: "in parts",
    ofDaos: ({ details }) => ofSpaces(details),
    redact: (detail, { hidden, topEntities }) =>
      detail.top_entities.some(({ entity_id: id }) => hidden.ids.has(id))
        ? { ...detail, top_entities: [...(topEntities.get(detail.space_id) ?? [])] }
        : detail,
  }),
  risk: row("risk/{id}.json", RiskAssessment, { indexed: "risk", ofDaos: ({ risks }) => ofSpaces(risks) }),
  latestListing: row("delegates/{id}/latest.json", DelegateListing, {
    indexed: "in parts",
    mayHoldWallets: true,
    ofDaos: ({ listings }) => listings.map(({ spaceId: id, latest: value }) => ({ id, value })),
    redact: (listing, { hidden }) => bareListing(listing, hidden),
  }),
  delegateMonth: row("delegates/{id}/{month}.ndjson", DelegateListing.array(), {
    mayHoldWallets: true,
    ofDaos: ({ listings }) =>
      listings.flatMap(({ spaceId: id, dated }) =>
        byMonth(dated).map(({ month, days }) => ({ id, month, value: days.map(({ listing }) => listing) })),
      ),
    redact: (listings, { hidden }) => shownItems(listings, (listing) => bareListing(listing, hidden)),
  }),
  delegateDays: row("delegates/{id}/days.csv", DelegateDay.array(), {
    indexed: "in parts",
    ofDaos: ({ listings }) =>
      listings.flatMap(({ spaceId: id, dated }) => {
        const value = dated.map(({ listing: _, ...day }) => day);
        return value.length === 0 ? [] : [{ id, value }];
      }),
  }),
  wholeListing: row("delegates/{id}/all.csv", DelegateItem.array(), {
    mayHoldWallets: true,
    ofDaos: ({ listings }) => listings.map(({ spaceId: id, all: value }) => ({ id, value })),
    redact: (rows, { hidden }) => shownItems(rows, (row) => bareRow(row, hidden)),
  }),
  graph: row("graph/{id}.json", DelegationGraph, {
    mayHoldWallets: true,
    ofDaos: ({ graphs }) => ofSpaces(graphs),
    redact: (graph, { hidden }) => bareGraph(graph, hidden),
  }),
  dgi: row("dgi.json", PublishedDgi, { indexed: "in parts", ofLists: ({ dgi }) => some(dgi) }),
  dgiHistory: row("dgi-history.json", DgiHistory, {
    indexed: "in parts",
    ofLists: ({ dgiHistory }) => some(dgiHistory),
  }),
  entity: row("entities/{id}.json", Entity, {
    indexed: "entity",
    alias: "entities",
    ofLists: ({ entities }) => entities.map((value) => ({ id: value.entity_id, value })),
    redact: (entity, { hidden }) => (hidden.ids.has(entity.entity_id) ? undefined : entity),
  }),
  history: row("history/{id}.json", DaoHistory, { ofDaos: ({ histories }) => ofSpaces(histories) }),
  evidence: row("evidence/{id}.json", Evidence, {
    ofDaos: ({ evidence }) => ofSpaces(evidence.map((item) => item.evidence)),
  }),
  proposals: row("proposals/{id}.ndjson", ProposalLine.array(), {
    ofDaos: ({ evidence, emptyFrames }) => [
      ...evidence.map(({ evidence: { space_id: id }, proposals: value }) => ({ id, value })),
      ...emptyFrames.map(({ spaceId: id, proposals: value }) => ({ id, value })),
    ],
  }),
  rankings: row("rankings.json", Rankings, { ofLists: ({ rankings }) => one(rankings) }),
  unscored: row("unscored.json", UnscoredList, {
    indexed: "in parts",
    ofLists: ({ unscored }) => one(unscored),
  }),
  corrections: row("corrections.json", CorrectionList, { ofLists: ({ corrections }) => some(corrections) }),
  run: row("run.json", RunReport, {
    redact: (report, { entitiesCount: entities_published }) =>
      report.counts.entities_published === entities_published
        ? report
        : { ...report, counts: { ...report.counts, entities_published } },
  }),
  dataPackage: row(DATA_PACKAGE_PATH, DataPackage),
  tableSchema: row("schemas/{id}.json", TableSchema),
};
export type FileKind = keyof typeof DOCUMENTS;

export type FileValues = { readonly [Kind in FileKind]: z.output<(typeof DOCUMENTS)[Kind]["shape"]> };

/** What the path of a file tells about it: its kind, its DAO or entity, and its month. */
interface FileIdentity<Kind extends FileKind = FileKind> {
  readonly kind: Kind;
  /** Of the DAO or entity; empty if a version has only one such file. */
  readonly id: string;
  /** Of dated listings, else empty. */
  readonly month: string;
}

export type PublishedDocument<Kind extends FileKind = FileKind> = {
  [Each in Kind]: FileIdentity<Each> & { readonly path: string; readonly value: FileValues[Each] };
}[Kind];

export function ofKind<Kind extends FileKind>(
  documents: readonly PublishedDocument[],
  kind: Kind,
): readonly PublishedDocument<Kind>[] {
  return documents.filter((document) => document.kind === kind) as PublishedDocument<Kind>[];
}

export function valuesOf<Kind extends FileKind>(
  documents: readonly PublishedDocument[],
  kind: Kind,
): readonly PublishedDocument<Kind>["value"][] {
  return ofKind(documents, kind).map(({ value }) => value);
}

const KINDS = Object.keys(DOCUMENTS) as readonly FileKind[];

/** The path of a file inside a version; `id` and `month` fill the placeholders of its kind. */
export function filePath(kind: FileKind, id = "", month = ""): string {
  return DOCUMENTS[kind].path.replace("{id}", () => id).replace("{month}", () => month);
}

const PATTERNS = KINDS.map((kind) => {
  const path = DOCUMENTS[kind].path.replaceAll(".", "\\.");
  const pattern = path.replace("{id}", "(?<id>[^/]+)").replace("{month}", "(?<month>\\d{4}-\\d{2})");
  return { kind, pattern: new RegExp(`^${pattern}$`) };
});

/** Identifies the file at a path; undefined if this format has no such document. */
export function identifyFile(path: string): FileIdentity | undefined {
  for (const { kind, pattern } of PATTERNS) {
    const match = pattern.exec(path);
    if (match !== null) return { kind, id: match.groups?.["id"] ?? "", month: match.groups?.["month"] ?? "" };
  }
  return undefined;
}

/** Splits the files of a version into those about one DAO, by space_id, and the others, each in the given order. */
export function filesByDao(files: readonly ManifestFile[]) {
  const others: ManifestFile[] = [];
  const byDao = new Map<string, ManifestFile[]>();
  for (const file of files) {
    const { kind, id } = identifyFile(file.path) ?? { id: "" };
    const row: FileRow | undefined = kind && DOCUMENTS[kind];
    const target = row?.ofDaos === undefined ? others : byDao.get(id);
    if (target === undefined) byDao.set(id, [file]);
    else target.push(file);
  }
  return { others, byDao: new Map([...byDao].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** The path of a kind's table schema: `schemas/delegates-all.json` for every `delegates/{id}/all.csv`. */
export function schemaPath(kind: FileKind): string {
  const [table = ""] = DOCUMENTS[kind].path.replace("/{id}", "").split(".");
  return filePath("tableSchema", table.replaceAll("/", "-"));
}

/** A document as it was built, not yet validated. */
export interface BuiltDocument extends FileIdentity {
  readonly path: string;
  /** The name that messages may contain. */
  readonly name: string;
  readonly value: unknown;
}

export function documentsOfLists(lists: VersionLists): readonly BuiltDocument[] {
  return KINDS.flatMap((kind) => {
    const { ofLists = () => [] }: FileRow = DOCUMENTS[kind];
    return built(kind, ofLists(lists));
  });
}

export function documentsOfDaos(documents: DaoDocuments): readonly BuiltDocument[] {
  return KINDS.flatMap((kind) => {
    const { ofDaos = () => [] }: FileRow = DOCUMENTS[kind];
    return built(kind, ofDaos(documents));
  });
}

function built(kind: FileKind, files: readonly Located<unknown>[]): readonly BuiltDocument[] {
  const { alias }: FileRow = DOCUMENTS[kind];
  return files.map(({ id = "", month = "", value }, index) => {
    const path = filePath(kind, id, month);
    return { kind, id, month, path, name: alias === undefined ? path : `${alias}[${index}]`, value };
  });
}
