import { contextsOf } from "../../format/agreement/check-documents.ts";
import { checkGraphSums } from "../../format/agreement/check-graph.ts";
import { disagreementsAt, unless } from "../../format/agreement/disagreement.ts";
import { type DataPackage, describeVersion } from "../../format/data-package.ts";
import type { DelegateListing, DelegationGraph } from "../../format/delegates.ts";
import {
  DOCUMENTS,
  type FileKind,
  filesByDao,
  identifyFile,
  ofKind,
  type PublishedDocument,
  valuesOf,
} from "../../format/documents.ts";
import { imprintOf } from "../../format/imprint.ts";
import type { ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import type {
  DaoDocuments,
  PublishedEvidence,
  PublishedSet,
  VersionLists,
} from "../../format/published-set.ts";
import { type LocatedVersion, locateVersion, manifestInvalid } from "./locate-version.ts";
import { encodeValue, findDocument, parseDocument, readDocument } from "./parse-document.ts";
import { problemOf, problemWith, refusalIn, refusalOf, type SnapshotProblem } from "./snapshot-error.ts";
import { readVerified } from "./verified-file.ts";

/** The `datapackage.json` of a kept version, adapted to other files: the same texts and schemas, other hashes. */
export function describeAgain(located: LocatedVersion, files: readonly ManifestFile[]): DataPackage {
  const before = readDocument(located, "dataPackage");
  const schemas = new Map(before.resources.map(({ path, schema }) => [path, schema]));
  const { resources } = describeVersion({ ...located.manifest, files }, (path) => schemas.get(path));
  return { ...before, resources: [...resources] };
}

/** Reads the evidence of one DAO with its lines, verified by hash; undefined if it has none. Throws `SnapshotFailure`. */
export function readEvidence(located: LocatedVersion, spaceId: string): PublishedEvidence | undefined {
  const evidence = findDocument(located, "evidence", spaceId);
  return evidence && { evidence, proposals: readDocument(located, "proposals", spaceId) };
}

/** Reads and checks the delegation graph of one DAO; undefined if it has none. Throws `SnapshotFailure`. */
export function readGraph(located: LocatedVersion, spaceId: string): DelegationGraph | undefined {
  const graph = findDocument(located, "graph", spaceId);
  if (graph === undefined) return undefined;
  const path = PATHS.graph(spaceId);
  // The hash only proves that the file belongs to the version; a graph with wrong sums cannot be drawn.
  const [wrong] = [
    ...unless(graph.space_id === spaceId, path, "is the document of another ID"),
    ...checkGraphSums(path, graph),
  ];
  if (wrong !== undefined) throw refusalOf({ ...wrong, path });
  return graph;
}

export type PublishedDocuments = ReturnType<typeof readPublishedDocuments>;

/** Reads the list and run report of a version of any method, verified by hash; throws `SnapshotFailure`. */
export function readPublishedDocuments(root: string, version?: string) {
  const located = locateVersion(root, { version });
  const { manifest } = located;
  const daos = readDocument(located, "daos");
  return {
    version: located.version,
    manifest,
    daos,
    /** Between which ranks each scored DAO may lie, by space_id. */
    rankings: new Map(readDocument(located, "rankings").map((place) => [place.space_id, place])),
    /** All DAOs of the version, scored or not. */
    spaceIds: [...new Set([...daos.map((dao) => dao.space_id), ...filesByDao(manifest.files).byDao.keys()])],
    /** `data_completeness` of each scored DAO, by space_id. A function, because it reads every detail. */
    completenessOfSpace(): ReadonlyMap<string, number> {
      return new Map(
        daos.map(({ space_id: id }) => [id, readDocument(located, "dao", id).data_completeness]),
      );
    },
    unscored: () => readDocument(located, "unscored"),
    run: readDocument(located, "run"),
  };
}

export type WholeVersion = ReturnType<typeof readVersion>;

/**
 * Reads all documents of a version (by default the current one) but the whole rankings of delegates, verified by hash;
 * throws the first `SnapshotFailure`.
 */
export function readVersion(root: string, version?: string) {
  const located = locateVersion(root, { version });
  const documents = readGood(located, located.manifest.files);
  const [imprint = {}] = valuesOf(documents, "dataPackage").map(imprintOf);
  const set: PublishedSet = { ...listsOf(located, documents), ...daoDocumentsOf(documents) };
  return { version: located.version, manifest: located.manifest, imprint, set };
}

/**
 * Reads a version DAO by DAO, by space_id and on each iteration anew, so that only the lists stay in memory. Every
 * document is verified by hash; throws the first `SnapshotFailure`.
 */
export function readByDao(root: string, version: string) {
  const located = locateVersion(root, { version });
  const { others, byDao } = filesByDao(located.manifest.files);
  const lists = listsOf(located, readGood(located, others));
  const contextOf = contextsOf(lists);
  return {
    lists,
    /** The documents of each DAO, optionally of some kinds only, with its part of the lists. */
    *parts(kinds?: readonly FileKind[]) {
      for (const [spaceId, files] of byDao) {
        const documents = readGood(located, files, kinds && ((kind) => kinds.includes(kind)));
        yield { ...contextOf(spaceId), ...daoDocumentsOf(documents) };
      }
    },
  };
}

function readGood(
  located: LocatedVersion,
  files: readonly ManifestFile[],
  isRead = (kind: FileKind): boolean => kind !== "wholeListing",
): readonly PublishedDocument[] {
  const { documents, problems } = readDocuments(located, files, isRead);
  const [problem] = problems;
  if (problem !== undefined) throw refusalOf(problem);
  return documents;
}

/** The ID in a row or document, if its kind has one; it must be that of its path. */
function ownId(value: object): unknown {
  const { space_id, entity_id, dao } = value as Record<string, unknown>;
  return space_id ?? entity_id ?? dao;
}

/**
 * Reads files of the kinds that `isRead` accepts, by default of all, and checks shape, canonical bytes, the number of records, and that the
 * ID is that of the path. Returns the readable documents, and the problems of the others.
 */
export function readDocuments(
  { directory }: Pick<LocatedVersion, "directory">,
  files: readonly ManifestFile[],
  isRead: (kind: FileKind) => boolean = () => true,
) {
  const documents: PublishedDocument[] = [];
  const problems: SnapshotProblem[] = [];
  for (const file of files) {
    const { path } = file;
    if (path === PATHS.index) continue;
    const identity = identifyFile(path);
    if (identity === undefined || DOCUMENTS[identity.kind].mediaType !== file.media_type) {
      problems.push(problemWith(path, "DOCUMENT_UNKNOWN", "is no document that this program knows"));
      continue;
    }
    const { kind, id } = identity;
    if (!isRead(kind)) continue;
    try {
      const bytes = readVerified(directory, file);
      const value: object = parseDocument(kind, path, bytes);
      const rows: readonly object[] = Array.isArray(value) ? value : [value];
      documents.push({ ...identity, path, value } as PublishedDocument);
      if (!encodeValue(kind, value).equals(bytes))
        problems.push(problemWith(path, "DOCUMENT_NOT_CANONICAL", "is not canonical"));
      problems.push(
        ...disagreementsAt(path, [
          [rows.length === file.records, "does not contain as many records as the manifest says"],
          [id === "" || rows.every((row) => (ownId(row) ?? id) === id), "is the document of another ID"],
        ]),
      );
    } catch (error) {
      problems.push(problemOf(refusalIn(error)));
    }
  }
  return { documents, problems };
}

/** The lists of a version from its documents; throws `SnapshotFailure` if one is missing. */
export function listsOf({ manifest }: LocatedVersion, documents: readonly PublishedDocument[]): VersionLists {
  const [daos] = valuesOf(documents, "daos");
  const [rankings] = valuesOf(documents, "rankings");
  const [unscored] = valuesOf(documents, "unscored");
  if (daos === undefined || rankings === undefined || unscored === undefined)
    throw manifestInvalid("names no list of DAOs");
  return {
    asOf: manifest.as_of,
    methodologyVersion: manifest.methodology_version,
    daos,
    rankings,
    unscored,
    dgi: valuesOf(documents, "dgi")[0],
    dgiHistory: valuesOf(documents, "dgiHistory")[0],
    entities: valuesOf(documents, "entity"),
    corrections: valuesOf(documents, "corrections")[0],
  };
}

/** Documents about DAOs, sorted by path; a whole ranking that was not read is empty. Throws `SnapshotFailure`. */
export function daoDocumentsOf(documents: readonly PublishedDocument[]): DaoDocuments {
  const valuesById = <Kind extends FileKind>(kind: Kind) =>
    new Map(ofKind(documents, kind).map(({ id, value }) => [id, value]));
  const [all, days, lines] = [
    valuesById("wholeListing"),
    valuesById("delegateDays"),
    valuesById("proposals"),
  ];
  const listingsOf = new Map<string, DelegateListing[]>();
  for (const { id, value } of ofKind(documents, "delegateMonth")) {
    listingsOf.set(id, [...(listingsOf.get(id) ?? []), ...value]);
  }
  const evidence = valuesOf(documents, "evidence").map((evidence) => {
    const proposals = lines.get(evidence.space_id);
    if (proposals === undefined) throw manifestInvalid(`does not name ${PATHS.proposals(evidence.space_id)}`);
    lines.delete(evidence.space_id);
    return { evidence, proposals };
  });
  return {
    details: valuesOf(documents, "dao"),
    risks: valuesOf(documents, "risk"),
    histories: valuesOf(documents, "history"),
    graphs: valuesOf(documents, "graph"),
    listings: valuesOf(documents, "latestListing").map((latest) => ({
      spaceId: latest.dao,
      latest,
      dated: (days.get(latest.dao) ?? []).flatMap((day, index) => {
        const listing = listingsOf.get(latest.dao)?.[index];
        return listing === undefined ? [] : [{ ...day, listing }];
      }),
      all: all.get(latest.dao) ?? [],
    })),
    evidence,
    emptyFrames: [...lines].map(([spaceId, proposals]) => ({ spaceId, proposals })),
  };
}
