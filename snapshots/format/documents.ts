import type { z } from "zod";
import { DaoDetail, DaoHistory, DaoList, Dgi, DgiHistory, RiskAssessment, UnscoredList } from "./dao.ts";
import { DATA_PACKAGE_PATH, DataPackage, TableSchema } from "./data-package.ts";
import { byMonth } from "./delegate-months.ts";
import { DelegateDay, DelegateItem, DelegateListing, DelegationGraph } from "./delegates.ts";
import { Entity } from "./entity.ts";
import type { DocumentKind } from "./envelope.ts";
import { Evidence } from "./evidence.ts";
import { bareGraph, bareListing, type Redaction } from "./hidden-entities.ts";
import { type ManifestFile, RunReport } from "./manifest.ts";
import { ProposalLine } from "./proposal-line.ts";
import type { DaoDocuments, VersionLists } from "./published-set.ts";

/** A list that is only read, where the shape is of one that may be changed. */
type Held<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value;

/** What one file of a kind holds, and which of its kind it is. */
interface Located<Value> {
  readonly id?: string;
  readonly month?: string;
  readonly value: Held<Value>;
}

/** One kind of file in a version: everything that the gate, the store, the exports and redact ask of it. */
export interface FileRow<Path extends string = string, Value = unknown> {
  /** Inside a version; `{id}` is that of a DAO or an entity, `{month}` like `2026-10`. */
  readonly path: Path;
  /** Of a table, the list of its rows: the manifest counts as many records as a list has items, else one. */
  readonly shape: z.ZodType<Value>;
  readonly mediaType: ManifestFile["media_type"];
  /** How the index holds it: whole, as the envelope of this kind, or in the parts that callers ask for. */
  readonly indexed?: DocumentKind | "in parts";
  /** Messages name it so, by its place in the set: the id of one that opted out must not reach them. */
  readonly alias?: string;
  /** Whether a hidden wallet may stay in it, as a bare address. */
  readonly mayHoldWallets?: true;
  /** Those that say something of all DAOs together; absent where it is made of the other files. */
  ofLists?(lists: VersionLists): readonly Located<Value>[];
  /** Those about single DAOs. */
  ofDaos?(documents: DaoDocuments): readonly Located<Value>[];
  /** What stays of it: the very same object where nobody is named, nothing where it is all about one that is hidden. */
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

/** Every kind of file in a version but the manifest, its signature and the index. A new kind is a new row. */
export const DOCUMENTS = {
  daos: row("daos.json", DaoList, { indexed: "in parts", ofLists: ({ daos }) => one(daos) }),
  dao: row("daos/{id}.json", DaoDetail, {
    indexed: "dao",
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
    redact: (listings, { hidden }) => {
      const shown = listings.map((listing) => bareListing(listing, hidden));
      return shown.every((listing, index) => listing === listings[index]) ? listings : shown;
    },
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
  }),
  graph: row("graph/{id}.json", DelegationGraph, {
    mayHoldWallets: true,
    ofDaos: ({ graphs }) => ofSpaces(graphs),
    redact: (graph, { hidden }) => bareGraph(graph, hidden),
  }),
  dgi: row("dgi.json", Dgi, { indexed: "dgi", ofLists: ({ dgi }) => some(dgi) }),
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
    ofDaos: ({ evidence }) => ofSpaces(evidence.map((each) => each.evidence)),
  }),
  proposals: row("proposals/{id}.ndjson", ProposalLine.array(), {
    ofDaos: ({ evidence }) =>
      evidence.map(({ evidence: { space_id: id }, proposals: value }) => ({ id, value })),
  }),
  unscored: row("unscored.json", UnscoredList, { ofLists: ({ unscored }) => one(unscored) }),
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

/** What every kind of file in a version holds. */
export type FileValues = { readonly [Kind in FileKind]: z.output<(typeof DOCUMENTS)[Kind]["shape"]> };

/** What a path of a version says of its file: its kind, whose it is, and of which month. */
export interface FileIdentity<Kind extends FileKind = FileKind> {
  readonly kind: Kind;
  /** Space or entity; empty for a file there is one of. */
  readonly id: string;
  /** Of dated listings. */
  readonly month: string;
}

/** One document of a version: where it lies, and what it holds. */
export type PublishedDocument<Kind extends FileKind = FileKind> = {
  [Each in Kind]: FileIdentity<Each> & { readonly path: string; readonly value: FileValues[Each] };
}[Kind];

/** Those documents that are of one kind. */
export function ofKind<Kind extends FileKind>(
  documents: readonly PublishedDocument[],
  kind: Kind,
): readonly PublishedDocument<Kind>[] {
  return documents.filter((each) => each.kind === kind) as PublishedDocument<Kind>[];
}

/** What the documents of one kind hold. */
export function valuesOf<Kind extends FileKind>(
  documents: readonly PublishedDocument[],
  kind: Kind,
): readonly PublishedDocument<Kind>["value"][] {
  return ofKind(documents, kind).map(({ value }) => value);
}

const KINDS = Object.keys(DOCUMENTS) as readonly FileKind[];

/** Where the file of a kind lies, of these whose there is one for each. */
export function filePath(kind: FileKind, id = "", month = ""): string {
  return DOCUMENTS[kind].path.replace(/\{(id|month)\}/g, (_, name) => (name === "id" ? id : month));
}

const PATTERNS = KINDS.map((kind) => {
  const path = DOCUMENTS[kind].path.replaceAll(".", "\\.");
  const pattern = path.replace("{id}", "(?<id>[^/]+)").replace("{month}", "(?<month>\\d{4}-\\d{2})");
  return { kind, pattern: new RegExp(`^${pattern}$`) };
});

/** What lies at a path, or nothing where no document of this format does. */
export function identifyFile(path: string): FileIdentity | undefined {
  for (const { kind, pattern } of PATTERNS) {
    const match = pattern.exec(path);
    if (match !== null) return { kind, id: match.groups?.["id"] ?? "", month: match.groups?.["month"] ?? "" };
  }
  return undefined;
}

/** The files of a version about one DAO each, by space_id, and the others; each in the order given. */
export function filesByDao(files: readonly ManifestFile[]) {
  const others: ManifestFile[] = [];
  const byDao = new Map<string, ManifestFile[]>();
  for (const file of files) {
    const { kind, id } = identifyFile(file.path) ?? { id: "" };
    const row: FileRow | undefined = kind && DOCUMENTS[kind];
    const own = row?.ofDaos === undefined ? others : byDao.get(id);
    if (own === undefined) byDao.set(id, [file]);
    else own.push(file);
  }
  return { others, byDao: new Map([...byDao].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

/** Where the fields of the tables of a kind stand: `schemas/delegates-all.json` of every `delegates/{id}/all.csv`. */
export function schemaPath(kind: FileKind): string {
  const [table = ""] = DOCUMENTS[kind].path.replace("/{id}", "").split(".");
  return filePath("tableSchema", table.replaceAll("/", "-"));
}

/** A document as it was built, not yet of any shape. */
export interface BuiltDocument extends FileIdentity {
  readonly path: string;
  /** What messages may call it. */
  readonly name: string;
  readonly value: unknown;
}

/** Every document that says something of all DAOs together. */
export function documentsOfLists(lists: VersionLists): readonly BuiltDocument[] {
  return KINDS.flatMap((kind) => {
    const { ofLists = () => [] }: FileRow = DOCUMENTS[kind];
    return built(kind, ofLists(lists));
  });
}

/** Every document about one DAO, or about several. */
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
