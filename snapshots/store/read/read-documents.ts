import { contextsOf } from "../../format/agreement/check-documents.ts";
import { checkGraphSums } from "../../format/agreement/check-graph.ts";
import { type DocumentSet, unless } from "../../format/agreement/disagreement.ts";
import { encodeLines, encodeParsed } from "../../format/canonical-json.ts";
import { DaoList, UnscoredList } from "../../format/dao.ts";
import { DataPackage, describeVersion } from "../../format/data-package.ts";
import { type DelegateListing, DelegationGraph } from "../../format/delegates.ts";
import {
  DOCUMENTS,
  type FileKind,
  filesByDao,
  identifyFile,
  ofKind,
  type PublishedDocument,
  valuesOf,
} from "../../format/documents.ts";
import { Evidence } from "../../format/evidence.ts";
import { SpaceId } from "../../format/ids.ts";
import { type ManifestFile, RunReport } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import type { DaoDocuments, PublishedEvidence, VersionLists } from "../../format/published-set.ts";
import { isDailyListing } from "./format-one.ts";
import {
  findDocument,
  type LocatedVersion,
  locateVersion,
  type ManifestHead,
  manifestFile,
  manifestInvalid,
  readDocument,
} from "./locate-version.ts";
import { parseDocument } from "./parse-document.ts";
import { problemWith, refusalOf, SnapshotError, type SnapshotProblem } from "./snapshot-error.ts";
import { readVerified } from "./verified-file.ts";

/**
 * What the `datapackage.json` of a kept version says, of these files instead of its own: the same words and fields, other
 * hashes. Nothing where the version has none, as what its tables meant was never written down. Throws `SnapshotError`.
 */
export function describeAgain(
  located: LocatedVersion,
  files: readonly ManifestFile[],
): DataPackage | undefined {
  const before = findDocument(located, PATHS.dataPackage, DataPackage);
  if (before === undefined) return undefined;
  const schemas = new Map(before.resources.map(({ path, schema }) => [path, schema]));
  const { resources } = describeVersion({ ...located.manifest, files }, (path) => schemas.get(path));
  return { ...before, resources: [...resources] };
}

/** The lines behind one DAO's evidence, verified by hash; throws `SnapshotError`. */
export function readLinesOf(
  { directory, manifest }: LocatedVersion,
  spaceId: string,
): PublishedEvidence["proposals"] {
  const path = PATHS.proposals(spaceId);
  return parseDocument("proposals", path, readVerified(directory, manifestFile(manifest, path)));
}

/** The evidence of one DAO with its lines, verified by hash; `undefined` where the version holds none of it. Throws `SnapshotError`. */
export function readEvidence(root: string, version: string, spaceId: string): PublishedEvidence | undefined {
  // An id from a command line never becomes a path, whatever a manifest names.
  if (!SpaceId.safeParse(spaceId).success) return undefined;
  const located = locateVersion(root, { version });
  const evidence = findDocument(located, PATHS.evidence(spaceId), Evidence);
  return evidence && { evidence, proposals: readLinesOf(located, spaceId) };
}

/** The delegation graph of one DAO, its own and adding up; `undefined` where there is none. Throws `SnapshotError`. */
export function readGraph(located: LocatedVersion, spaceId: string): DelegationGraph | undefined {
  // An id from a command line never becomes a path, whatever a manifest names.
  if (!SpaceId.safeParse(spaceId).success) return undefined;
  const path = PATHS.graph(spaceId);
  const graph = findDocument(located, path, DelegationGraph);
  if (graph === undefined) return undefined;
  // A right hash only says that the file is the manifest's; a graph that does not add up cannot be drawn.
  const [wrong] = [
    ...unless(graph.space_id === spaceId, path, "holds the document of another id"),
    ...checkGraphSums(path, graph),
  ];
  if (wrong !== undefined) throw refusalOf({ ...wrong, path });
  return graph;
}

/** What is asked for most often of a published version. */
export type PublishedDocuments = ReturnType<typeof readPublishedDocuments>;

/**
 * The list and the run report of a published version, each verified by hash, whatever method it was made by; throws
 * `SnapshotError`.
 */
export function readPublishedDocuments(root: string, version?: string) {
  const located = locateVersion(root, version === undefined ? {} : { version });
  const { manifest, directory } = located;
  const daos = readDocument(located, PATHS.daos, DaoList);
  const explained = manifest.files.flatMap(({ path }) => {
    const identity = identifyFile(path);
    return identity?.kind === "evidence" ? [identity.id] : [];
  });
  return {
    version: located.version,
    manifest,
    daos,
    /** Of all DAOs that it is about, scored or not: each has its evidence. */
    spaceIds: [...new Set([...daos.map((dao) => dao.space_id), ...explained])],
    /** `data_completeness` of each DAO with a score, by space_id. Every detail is read for it, so only when asked. */
    completenessOfSpace(): ReadonlyMap<string, number> {
      const files = manifest.files.filter(({ path }) => identifyFile(path)?.kind === "dao");
      return new Map(
        files.map((file) => {
          const detail = parseDocument("dao", file.path, readVerified(directory, file));
          return [detail.space_id, detail.data_completeness];
        }),
      );
    },
    run: readDocument(located, PATHS.run, RunReport),
  };
}

/** The DAOs of a version that have no score, verified by hash; throws `SnapshotError`. */
export function readUnscored(root: string, version?: string): UnscoredList {
  return readDocument(
    locateVersion(root, version === undefined ? {} : { version }),
    PATHS.unscored,
    UnscoredList,
  );
}

/** The documents of a version, with the lines behind each evidence. */
export type WholeSet = Omit<DocumentSet, "evidence"> & { readonly evidence: readonly PublishedEvidence[] };

/** Everything that can be read in the documents of one version. */
export type WholeVersion = ReturnType<typeof readVersion>;

/** The documents of a version (the pointer's where none is named), each verified by hash; throws `SnapshotError` at the first that cannot be believed. */
export function readVersion(root: string, version?: string) {
  const located = locateVersion(root, version === undefined ? {} : { version });
  const documents = readGood(located, located.manifest.files);
  const set: WholeSet = { ...requireLists(located, documents), ...explainedOf(located, documents) };
  return { version: located.version, manifest: located.manifest, set };
}

/**
 * A version whose DAOs are read one after the other, by space_id and as often as they are asked for: what is held of all
 * of them are the lists. Every document is verified by hash; throws `SnapshotError` at the first that cannot be believed.
 */
export function readByDao(root: string, version: string) {
  const located = locateVersion(root, { version });
  const { others, byDao } = filesByDao(located.manifest.files);
  const lists = requireLists(located, readGood(located, others));
  const contextOf = contextsOf(lists);
  return {
    lists,
    /** The documents of each DAO, or those of some kinds, with what the lists say of it. */
    *parts(kinds?: readonly FileKind[]) {
      for (const [spaceId, files] of byDao) {
        const wanted = files.filter(
          ({ path }) => kinds?.includes(identifyFile(path)?.kind ?? "daos") ?? true,
        );
        yield { ...contextOf(spaceId), ...explainedOf(located, readGood(located, wanted)) };
      }
    },
  };
}

function readGood(located: LocatedVersion, files: readonly ManifestFile[]): readonly PublishedDocument[] {
  const { documents, problems } = readDocuments(located, files);
  const [problem] = problems;
  if (problem !== undefined) throw refusalOf(problem);
  return documents;
}

function requireLists(located: LocatedVersion, documents: readonly PublishedDocument[]): VersionLists {
  const lists = listsOf(located, documents);
  if (lists === undefined) throw manifestInvalid("names no list of DAOs");
  return lists;
}

/** Documents about DAOs, with the lines behind each evidence. */
function explainedOf(located: LocatedVersion, documents: readonly PublishedDocument[]) {
  const held = daoDocumentsOf(documents);
  const linesOf = ({ evidence }: (typeof held)["evidence"][number]) => ({
    evidence,
    proposals: readLinesOf(located, evidence.space_id),
  });
  return { ...held, evidence: held.evidence.map(linesOf) };
}

/** The id a document gives itself, where its kind has one: a file must lie where its content says. */
function ownId(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const key of ["space_id", "entity_id", "dao"] as const) {
    const id = key in value ? Reflect.get(value, key) : undefined;
    if (typeof id === "string") return id;
  }
  return undefined;
}

/** What is read of a version at once: JSON, and the dated listings. Other tables are read DAO by DAO. */
function isRead({ path, media_type }: ManifestFile, { format }: ManifestHead): boolean {
  if (media_type === "application/json") return format !== 1 || !isDailyListing(path);
  const kind = identifyFile(path)?.kind;
  return kind === "delegateMonth" || kind === "delegateDays";
}

/** Documents that could be read, and what is wrong with the rest. */
export type DocumentReading = ReturnType<typeof readDocuments>;

/** Reads these files of a version, as far as they are documents, each under its shape, its bytes canonical and its id that of its path. */
export function readDocuments({ directory, manifest }: LocatedVersion, files: readonly ManifestFile[]) {
  const documents: PublishedDocument[] = [];
  const problems: SnapshotProblem[] = [];
  for (const file of files.filter((each) => isRead(each, manifest))) {
    const { path } = file;
    const identity = identifyFile(path);
    if (identity === undefined || DOCUMENTS[identity.kind].mediaType !== file.media_type) {
      problems.push(problemWith(path, "DOCUMENT_UNKNOWN", "is no document this program knows"));
      continue;
    }
    const { kind, id } = identity;
    try {
      const bytes = readVerified(directory, file);
      const value = parseDocument(kind, path, bytes);
      documents.push({ ...identity, path, value } as PublishedDocument);
      // A row of a table has no id of its own.
      if (kind === "delegateDays") continue;
      const canonical = kind === "delegateMonth" ? encodeLines([value].flat()) : encodeParsed(value);
      if (!canonical.equals(bytes))
        problems.push(problemWith(path, "DOCUMENT_NOT_CANONICAL", "is not spelled canonically"));
      if (id !== "" && kind !== "tableSchema" && [value].flat().some((each) => ownId(each) !== id))
        problems.push(problemWith(path, "DOCUMENTS_DISAGREE", "holds the document of another id"));
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      problems.push({ path, code: error.code, message: error.message });
    }
  }
  return { documents, problems };
}

/** The lists of a version among its documents, or nothing where one is missing. */
export function listsOf(
  { manifest }: LocatedVersion,
  documents: readonly PublishedDocument[],
): VersionLists | undefined {
  const [daos] = valuesOf(documents, "daos");
  const [unscored] = valuesOf(documents, "unscored");
  const [dgi] = valuesOf(documents, "dgi");
  const [dgiHistory] = valuesOf(documents, "dgiHistory");
  if (daos === undefined || unscored === undefined) return undefined;
  return {
    asOf: manifest.as_of,
    methodologyVersion: manifest.methodology_version,
    daos,
    unscored,
    dgi,
    dgiHistory,
    entities: valuesOf(documents, "entity"),
  };
}

/** The documents about DAOs as they were published. */
export function daoDocumentsOf(
  documents: readonly PublishedDocument[],
): Pick<DocumentSet, keyof DaoDocuments> {
  return {
    details: valuesOf(documents, "dao"),
    risks: valuesOf(documents, "risk"),
    histories: valuesOf(documents, "history"),
    listings: listingsOf(documents),
    graphs: valuesOf(documents, "graph"),
    evidence: valuesOf(documents, "evidence").map((evidence) => ({ evidence })),
  };
}

function listingsOf(documents: readonly PublishedDocument[]): DocumentSet["listings"] {
  const days = new Map(ofKind(documents, "delegateDays").map(({ id, value }) => [id, value]));
  const linesOf = new Map<string, DelegateListing[]>();
  // Documents come in the order of their paths, and so months in their order.
  for (const { id, value } of ofKind(documents, "delegateMonth")) {
    linesOf.set(id, [...(linesOf.get(id) ?? []), ...value]);
  }
  return valuesOf(documents, "latestListing").map((latest) => {
    const lines = linesOf.get(latest.dao) ?? [];
    const dated = (days.get(latest.dao) ?? []).flatMap((day, at) => {
      const listing = lines[at];
      return listing === undefined ? [] : [{ ...day, listing }];
    });
    return { spaceId: latest.dao, latest, dated };
  });
}
