import type { z } from "zod";
import {
  type BuiltDocument,
  DOCUMENTS,
  documentsOfDaos,
  documentsOfLists,
  type FileKind,
  type PublishedDocument,
} from "../documents.ts";
import { MethodologyVersion, Timestamp } from "../ids.ts";
import { PATHS } from "../paths.ts";
import type { VersionLists } from "../published-set.ts";
import { checkLists, checkPart, type PartDigest } from "./check-documents.ts";
import { type Disagreement, type DocumentPart, unless } from "./disagreement.ts";

declare const CHECKED: unique symbol;

/**
 * Documents that have their shapes and agree with each other and with their version, sorted by path, without
 * duplicates. Keys are in the shapes' order, so that encoding gives canonical JSON. The store accepts nothing else.
 */
export type CheckedDocuments = readonly PublishedDocument[] & { readonly [CHECKED]: true };

export function documentsBut(checked: CheckedDocuments, kinds: readonly FileKind[]): CheckedDocuments {
  return checked.filter(
    ({ kind }) => !kinds.includes(kind),
  ) as readonly PublishedDocument[] as CheckedDocuments;
}

export type DocumentProblem = Disagreement | { readonly code: "SHAPE_INVALID"; readonly message: string };

/** All problems of documents, not only the first: sums are checked even if a shape is invalid. */
export interface CheckResult {
  readonly problems: readonly DocumentProblem[];
  readonly checked: CheckedDocuments | undefined;
}

/** Checks the documents of one DAO; nothing later has to check them again. */
export function checkDaoDocuments(part: DocumentPart): CheckResult {
  return checkShapes(documentsOfDaos(part), (byPath) => {
    // The lines as they will be written, because the evidence contains the hash of their file.
    const written = byPath.get(PATHS.proposals(part.spaceId));
    const lines = written?.kind === "proposals" ? written.value : undefined;
    const evidence = part.evidence.map((item) => ({ ...item, proposals: lines ?? item.proposals }));
    return checkPart({ ...part, evidence });
  });
}

export function checkVersionLists(lists: VersionLists, parts: readonly PartDigest[]): CheckResult {
  return checkShapes(documentsOfLists(lists), () => [
    ...complaints("as_of", Timestamp.safeParse(lists.asOf).error),
    ...complaints("methodology_version", MethodologyVersion.safeParse(lists.methodologyVersion).error),
    ...checkLists(lists, parts),
  ]);
}

function checkShapes(
  built: readonly BuiltDocument[],
  agree: (byPath: ReadonlyMap<string, PublishedDocument>) => readonly DocumentProblem[],
): CheckResult {
  const documents = built.map(({ name, value, ...document }) => {
    const { data, error } = DOCUMENTS[document.kind].shape.safeParse(value);
    return { document: { ...document, value: data } as PublishedDocument, problems: complaints(name, error) };
  });
  const byPath = new Map(documents.map(({ document }) => [document.path, document]));
  const problems = [
    ...documents.flatMap((document) => document.problems),
    ...agree(byPath),
    ...unless(byPath.size === documents.length, "documents", "two documents have the same path"),
  ];
  if (problems.length > 0) return { problems, checked: undefined };
  const sorted = [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { problems, checked: sorted as unknown as CheckedDocuments };
}

/** Where and why a document violates its shape, without its content. */
function complaints(name: string, error: z.ZodError | undefined): readonly DocumentProblem[] {
  return (error?.issues ?? []).map(({ path, message }) => ({
    code: "SHAPE_INVALID",
    message: `${[name, ...path.map(String)].join(" ")}: ${message}`,
  }));
}
