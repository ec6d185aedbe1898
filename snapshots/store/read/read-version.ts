import type { DocumentSet } from "../../format/agreement/disagreement.ts";
import {
  FILE_SHAPES,
  type FileKind,
  type FilePlace,
  type FileValues,
  placeOf,
} from "../../format/documents.ts";
import type { Manifest } from "../../format/manifest.ts";
import type { PublishedEvidence, PublishedListing } from "../../format/published-set.ts";
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
  const { parsed, problems } = readDocuments(located);
  const [problem] = problems;
  if (problem !== undefined) throw refusalOf(problem);
  const set = documentSetOf(located, parsed);
  if (set === undefined) throw manifestInvalid("names no list of DAOs");
  const evidence = set.evidence.map((each) => ({
    ...each,
    proposals: readLinesOf(located, each.evidence.space_id),
  }));
  return { version: located.version, manifest: located.manifest, set: { ...set, evidence } };
}

type Parsed = { readonly [Kind in FileKind]: Map<string, FileValues[Kind]> };

/** Every JSON document of a version that could be read, by kind and path, and what is wrong with the rest. */
export interface DocumentReading {
  readonly parsed: Parsed;
  readonly problems: readonly SnapshotProblem[];
}

/** The parsed documents of each kind, none yet. */
const nothingParsed = (): Parsed =>
  Object.fromEntries(Object.keys(FILE_SHAPES).map((kind) => [kind, new Map()])) as Parsed;

function keep<Kind extends FileKind>(parsed: Parsed, kind: Kind, path: string, bytes: Buffer): boolean {
  const value = parseJsonFile(path, bytes, FILE_SHAPES[kind]);
  parsed[kind].set(path, value);
  return Buffer.from(`${JSON.stringify(value)}\n`, "utf8").equals(bytes);
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

function placeProblem(path: string, place: FilePlace, value: unknown): SnapshotProblem | undefined {
  if (place.id === "" || ownId(value) === place.id) return undefined;
  return problemWith(path, "DOCUMENTS_DISAGREE", "holds the document of another id");
}

/** Reads every JSON file the manifest names under its shape, its bytes canonical and its id that of its path. */
export function readDocuments({ directory, manifest }: LocatedVersion): DocumentReading {
  const parsed = nothingParsed();
  const problems: SnapshotProblem[] = [];
  for (const file of manifest.files.filter((each) => each.media_type === "application/json")) {
    const { path } = file;
    const place = placeOf(path);
    if (place === undefined) {
      problems.push(problemWith(path, "DOCUMENT_UNKNOWN", "is no document this program knows"));
      continue;
    }
    try {
      const isCanonical = keep(parsed, place.kind, path, readVerified(directory, file));
      if (!isCanonical)
        problems.push(problemWith(path, "DOCUMENT_NOT_CANONICAL", "is not spelled canonically"));
      const misplaced = placeProblem(path, place, parsed[place.kind].get(path));
      if (misplaced !== undefined) problems.push(misplaced);
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      problems.push({ path, code: error.code, message: error.message });
    }
  }
  return { parsed, problems };
}

function listingsOf(parsed: Parsed): readonly Omit<PublishedListing, "all" | "days">[] {
  const dated = [...parsed["dated-listing"]].map(([path, listing]) => ({
    date: placeOf(path)?.date ?? "",
    listing,
  }));
  return [...parsed["latest-listing"].values()].map((latest) => ({
    spaceId: latest.dao,
    latest,
    dated: dated.filter((each) => each.listing.dao === latest.dao),
  }));
}

/** The documents of a version as the set they were published from, or nothing where a list is missing. */
export function documentSetOf({ manifest }: LocatedVersion, parsed: Parsed): DocumentSet | undefined {
  const [daos] = parsed.daos.values();
  const [unscored] = parsed.unscored.values();
  const [dgi] = parsed.dgi.values();
  const [dgiHistory] = parsed["dgi-history"].values();
  if (daos === undefined || unscored === undefined) return undefined;
  return {
    asOf: manifest.as_of,
    methodologyVersion: manifest.methodology_version,
    daos,
    unscored,
    dgi,
    dgiHistory,
    details: [...parsed.dao.values()],
    risks: [...parsed.risk.values()],
    entities: [...parsed.entity.values()],
    histories: [...parsed.history.values()],
    listings: listingsOf(parsed),
    graphs: [...parsed.graph.values()],
    evidence: [...parsed.evidence.values()].map((evidence) => ({ evidence })),
  };
}
