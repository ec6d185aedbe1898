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
import { imprintOf } from "../../format/imprint.ts";
import { type ManifestFile, RunReport } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import type { DaoDocuments, PublishedEvidence, VersionLists } from "../../format/published-set.ts";
import { Rankings } from "../../format/rankings.ts";
import {
  findDocument,
  type LocatedVersion,
  locateVersion,
  manifestFile,
  manifestInvalid,
  readDocument,
} from "./locate-version.ts";
import { parseDocument } from "./parse-document.ts";
import { isSnapshotFailure, problemWith, refusalOf, type SnapshotProblem } from "./snapshot-error.ts";
import { readVerified } from "./verified-file.ts";

/**
 * The `datapackage.json` of a kept version, adapted to other files: the same descriptions and fields, other hashes.
 * Undefined if the version has none, because the meaning of its tables is unknown then. Throws `SnapshotFailure`.
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

/** Reads the lines behind one DAO's evidence, verified by hash; throws `SnapshotFailure`. */
export function readLinesOf(
  { directory, manifest }: LocatedVersion,
  spaceId: string,
): PublishedEvidence["proposals"] {
  const path = PATHS.proposals(spaceId);
  return parseDocument("proposals", path, readVerified(directory, manifestFile(manifest, path)));
}

/** Reads the evidence of one DAO with its lines, verified by hash; undefined if it has none. Throws `SnapshotFailure`. */
export function readEvidence(located: LocatedVersion, spaceId: string): PublishedEvidence | undefined {
  // An ID from a command line must never become a path.
  if (!SpaceId.safeParse(spaceId).success) return undefined;
  const evidence = findDocument(located, PATHS.evidence(spaceId), Evidence);
  return evidence && { evidence, proposals: readLinesOf(located, spaceId) };
}

/** Reads and checks the delegation graph of one DAO; undefined if it has none. Throws `SnapshotFailure`. */
export function readGraph(located: LocatedVersion, spaceId: string): DelegationGraph | undefined {
  // An ID from a command line must never become a path.
  if (!SpaceId.safeParse(spaceId).success) return undefined;
  const path = PATHS.graph(spaceId);
  const graph = findDocument(located, path, DelegationGraph);
  if (graph === undefined) return undefined;
  // The hash only proves that the file belongs to the version; a graph with wrong sums cannot be drawn.
  const [wrong] = [
    ...unless(graph.space_id === spaceId, path, "is the document of another ID"),
    ...checkGraphSums(path, graph),
  ];
  if (wrong !== undefined) throw refusalOf({ ...wrong, path });
  return graph;
}

/** The most used documents of a published version. */
export type PublishedDocuments = ReturnType<typeof readPublishedDocuments>;

/** Reads the list and run report of a version of any method, verified by hash; throws `SnapshotFailure`. */
export function readPublishedDocuments(root: string, version?: string) {
  const located = locateVersion(root, { version });
  const { manifest, directory } = located;
  const daos = readDocument(located, PATHS.daos, DaoList);
  return {
    version: located.version,
    manifest,
    daos,
    /** Between which ranks each scored DAO may lie, by space_id. */
    rankings: new Map(
      readDocument(located, PATHS.rankings, Rankings).map((place) => [place.space_id, place]),
    ),
    /** All DAOs of the version, scored or not. */
    spaceIds: [...new Set([...daos.map((dao) => dao.space_id), ...filesByDao(manifest.files).byDao.keys()])],
    /** `data_completeness` of each scored DAO, by space_id. A function, because it reads every detail. */
    completenessOfSpace(): ReadonlyMap<string, number> {
      const files = manifest.files.filter(({ path }) => identifyFile(path)?.kind === "dao");
      return new Map(
        files.map((file) => {
          const detail = parseDocument("dao", file.path, readVerified(directory, file));
          return [detail.space_id, detail.data_completeness];
        }),
      );
    },
    unscored: () => readDocument(located, PATHS.unscored, UnscoredList),
    run: readDocument(located, PATHS.run, RunReport),
  };
}

/** The documents of a version, with the lines behind each evidence. */
export type WholeSet = Omit<DocumentSet, "evidence"> & Pick<DaoDocuments, "evidence" | "emptyFrames">;

export type WholeVersion = ReturnType<typeof readVersion>;

/** Reads all documents of a version (by default the current one), verified by hash; throws the first `SnapshotFailure`. */
export function readVersion(root: string, version?: string) {
  const located = locateVersion(root, { version });
  const documents = readGood(located, located.manifest.files);
  const [imprint = {}] = valuesOf(documents, "dataPackage").map(imprintOf);
  const set: WholeSet = {
    ...requireLists(located, documents),
    ...explainedOf(located, located.manifest.files, documents),
  };
  return { version: located.version, manifest: located.manifest, imprint, set };
}

/**
 * Reads a version DAO by DAO, by space_id and on each iteration anew, so that only the lists stay in memory. Every
 * document is verified by hash; throws the first `SnapshotFailure`.
 */
export function readByDao(root: string, version: string) {
  const located = locateVersion(root, { version });
  const { others, byDao } = filesByDao(located.manifest.files);
  const lists = requireLists(located, readGood(located, others));
  const contextOf = contextsOf(lists);
  return {
    lists,
    /** The documents of each DAO, optionally of some kinds only, with its part of the lists. */
    *parts(kinds?: readonly FileKind[]) {
      for (const [spaceId, files] of byDao) {
        const wanted = files.filter(
          ({ path }) => kinds?.includes(identifyFile(path)?.kind ?? "daos") ?? true,
        );
        yield { ...contextOf(spaceId), ...explainedOf(located, wanted, readGood(located, wanted)) };
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

/** Documents about DAOs with the lines of their proposals, which are among `files`. */
function explainedOf(
  located: LocatedVersion,
  files: readonly ManifestFile[],
  documents: readonly PublishedDocument[],
) {
  const held = daoDocumentsOf(documents);
  const evidence = new Map(held.evidence.map((item) => [item.evidence.space_id, item]));
  const lines = files.flatMap(({ path }) => {
    const identity = identifyFile(path);
    return identity?.kind === "proposals" ? [identity.id] : [];
  });
  return {
    ...held,
    evidence: held.evidence.map((item) => ({
      ...item,
      proposals: readLinesOf(located, item.evidence.space_id),
    })),
    emptyFrames: lines
      .filter((spaceId) => !evidence.has(spaceId))
      .map((spaceId) => ({ spaceId, proposals: readLinesOf(located, spaceId) })),
  };
}

/** The ID in a document's content, if its kind has one; it must be that of its path. */
function ownId(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const key of ["space_id", "entity_id", "dao"] as const) {
    const id = key in value ? Reflect.get(value, key) : undefined;
    if (typeof id === "string") return id;
  }
  return undefined;
}

/** Whether `readDocuments` reads a file: JSON and dated listings. Other tables are read DAO by DAO. */
function isRead({ path, media_type }: ManifestFile): boolean {
  if (media_type === "application/json") return true;
  const kind = identifyFile(path)?.kind;
  return kind === "delegateMonth" || kind === "delegateDays";
}

/** The readable documents, and the problems of the others. */
export type DocumentReading = ReturnType<typeof readDocuments>;

/** Reads those of the files that are documents, and checks shape, canonical bytes, and that the ID is that of the path. */
export function readDocuments(
  { directory }: Pick<LocatedVersion, "directory">,
  files: readonly ManifestFile[],
) {
  const documents: PublishedDocument[] = [];
  const problems: SnapshotProblem[] = [];
  for (const file of files.filter(isRead)) {
    const { path } = file;
    const identity = identifyFile(path);
    if (identity === undefined || DOCUMENTS[identity.kind].mediaType !== file.media_type) {
      problems.push(problemWith(path, "DOCUMENT_UNKNOWN", "is no document that this program knows"));
      continue;
    }
    const { kind, id } = identity;
    try {
      const bytes = readVerified(directory, file);
      const value = parseDocument(kind, path, bytes);
      documents.push({ ...identity, path, value } as PublishedDocument);
      // The rows of a table have no ID.
      if (kind === "delegateDays") continue;
      const canonical = kind === "delegateMonth" ? encodeLines([value].flat()) : encodeParsed(value);
      if (!canonical.equals(bytes))
        problems.push(problemWith(path, "DOCUMENT_NOT_CANONICAL", "is not canonical"));
      if (id !== "" && kind !== "tableSchema" && [value].flat().some((row) => ownId(row) !== id))
        problems.push(problemWith(path, "DOCUMENTS_DISAGREE", "is the document of another ID"));
    } catch (error) {
      if (!isSnapshotFailure(error)) throw error;
      problems.push({ path, code: error.code, message: error.message });
    }
  }
  return { documents, problems };
}

/** The lists of a version from its documents; undefined if one is missing. */
export function listsOf(
  { manifest }: LocatedVersion,
  documents: readonly PublishedDocument[],
): VersionLists | undefined {
  const [daos] = valuesOf(documents, "daos");
  const [rankings] = valuesOf(documents, "rankings");
  const [unscored] = valuesOf(documents, "unscored");
  const [dgi] = valuesOf(documents, "dgi");
  const [dgiHistory] = valuesOf(documents, "dgiHistory");
  const [corrections] = valuesOf(documents, "corrections");
  if (daos === undefined || rankings === undefined || unscored === undefined) return undefined;
  return {
    asOf: manifest.as_of,
    methodologyVersion: manifest.methodology_version,
    daos,
    rankings,
    unscored,
    dgi,
    dgiHistory,
    entities: valuesOf(documents, "entity"),
    corrections,
  };
}

export function daoDocumentsOf(
  documents: readonly PublishedDocument[],
): Pick<DocumentSet, Exclude<keyof DaoDocuments, "emptyFrames">> {
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
  // Documents are sorted by path, and so by month.
  for (const { id, value } of ofKind(documents, "delegateMonth")) {
    linesOf.set(id, [...(linesOf.get(id) ?? []), ...value]);
  }
  return valuesOf(documents, "latestListing").map((latest) => {
    const lines = linesOf.get(latest.dao) ?? [];
    const dated = (days.get(latest.dao) ?? []).flatMap((day, index) => {
      const listing = lines[index];
      return listing === undefined ? [] : [{ ...day, listing }];
    });
    return { spaceId: latest.dao, latest, dated };
  });
}
