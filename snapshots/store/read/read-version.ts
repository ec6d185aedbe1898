import type { z } from "zod";
import type { DocumentSet } from "../../format/agreement/disagreement.ts";
import { encodeParsed } from "../../format/canonical-json.ts";
import { DOCUMENTS, identifyFile, ofKind, type PublishedDocument, valuesOf } from "../../format/documents.ts";
import type { Manifest } from "../../format/manifest.ts";
import type { PublishedEvidence } from "../../format/published-set.ts";
import { type LocatedVersion, locateVersion, manifestInvalid } from "./locate-version.ts";
import { readLinesOf } from "./read-documents.ts";
import { parseJsonFile } from "./read-pointer.ts";
import { problemWith, refusalOf, SnapshotError, type SnapshotProblem } from "./snapshot-error.ts";
import { readVerified } from "./verified-file.ts";

/** The documents of a version, with the lines behind each evidence. */
export type WholeSet = Omit<DocumentSet, "evidence"> & { readonly evidence: readonly PublishedEvidence[] };

/** Everything that can be read in the JSON files of one version. */
export interface WholeVersion {
  readonly version: string;
  readonly manifest: Manifest;
  readonly set: WholeSet;
}

/** The documents of a version (the pointer's where none is named), each verified by hash; throws `SnapshotError` at the first that cannot be believed. */
export function readVersion(root: string, version?: string): WholeVersion {
  const located = locateVersion(root, version === undefined ? {} : { version });
  const { documents, problems } = readDocuments(located);
  const [problem] = problems;
  if (problem !== undefined) throw refusalOf(problem);
  const set = documentSetOf(located, documents);
  if (set === undefined) throw manifestInvalid("names no list of DAOs");
  const evidence = set.evidence.map((each) => ({
    ...each,
    proposals: readLinesOf(located, each.evidence.space_id),
  }));
  return { version: located.version, manifest: located.manifest, set: { ...set, evidence } };
}

/** Every JSON document of a version that could be read, and what is wrong with the rest. */
export interface DocumentReading {
  readonly documents: readonly PublishedDocument[];
  readonly problems: readonly SnapshotProblem[];
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

/** Reads every JSON file the manifest names under its shape, its bytes canonical and its id that of its path. */
export function readDocuments({ directory, manifest }: LocatedVersion): DocumentReading {
  const documents: PublishedDocument[] = [];
  const problems: SnapshotProblem[] = [];
  for (const file of manifest.files.filter((each) => each.media_type === "application/json")) {
    const { path } = file;
    const identity = identifyFile(path);
    if (identity === undefined || DOCUMENTS[identity.kind].mediaType !== file.media_type) {
      problems.push(problemWith(path, "DOCUMENT_UNKNOWN", "is no document this program knows"));
      continue;
    }
    try {
      const bytes = readVerified(directory, file);
      const value = parseJsonFile<z.ZodType>(path, bytes, DOCUMENTS[identity.kind].shape);
      documents.push({ ...identity, path, value } as PublishedDocument);
      if (!encodeParsed(value).equals(bytes))
        problems.push(problemWith(path, "DOCUMENT_NOT_CANONICAL", "is not spelled canonically"));
      if (identity.id !== "" && ownId(value) !== identity.id)
        problems.push(problemWith(path, "DOCUMENTS_DISAGREE", "holds the document of another id"));
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      problems.push({ path, code: error.code, message: error.message });
    }
  }
  return { documents, problems };
}

/** The documents of a version as the set they were published from, or nothing where a list is missing. */
export function documentSetOf(
  { manifest }: LocatedVersion,
  documents: readonly PublishedDocument[],
): DocumentSet | undefined {
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
    details: valuesOf(documents, "dao"),
    risks: valuesOf(documents, "risk"),
    entities: valuesOf(documents, "entity"),
    histories: valuesOf(documents, "history"),
    listings: listingsOf(documents),
    graphs: valuesOf(documents, "graph"),
    evidence: valuesOf(documents, "evidence").map((evidence) => ({ evidence })),
  };
}

function listingsOf(documents: readonly PublishedDocument[]): DocumentSet["listings"] {
  const dated = ofKind(documents, "datedListing");
  return valuesOf(documents, "latestListing").map((latest) => ({
    spaceId: latest.dao,
    latest,
    dated: dated
      .filter(({ value }) => value.dao === latest.dao)
      .map(({ date, value: listing }) => ({ date, listing })),
  }));
}
