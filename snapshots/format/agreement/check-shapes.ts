import type { z } from "zod";
import {
  type BuiltDocument,
  DOCUMENTS,
  documentsOfDaos,
  documentsOfLists,
  type PublishedDocument,
} from "../documents.ts";
import { MethodologyVersion, Timestamp } from "../ids.ts";
import { PATHS } from "../paths.ts";
import type { DaoDocuments, VersionLists } from "../published-set.ts";
import { checkLists, checkPart, type PartDigest } from "./check-documents.ts";
import { checkProposalLines } from "./check-evidence.ts";
import { checkWholeListing } from "./check-listing.ts";
import { type Disagreement, type PartContext, unless } from "./disagreement.ts";

declare const CHECKED: unique symbol;

/**
 * Documents that all have their shapes and agree with each other and with their version, by path, each once; as their
 * shapes spell them, so that writing one down gives canonical JSON. Made here alone, and all that the store takes.
 */
export type CheckedDocuments = readonly PublishedDocument[] & { readonly [CHECKED]: true };

/** Something for which a version cannot be published. */
export type DocumentProblem = Disagreement | { readonly code: "SHAPE_INVALID"; readonly message: string };

/** What is wrong with documents, all of it and not the first: sums are looked at even where a shape fails. */
export interface CheckResult {
  readonly problems: readonly DocumentProblem[];
  /** Absent where there is a problem. */
  readonly checked: CheckedDocuments | undefined;
}

/** The documents of one DAO, each of its shape, and what its version says of it elsewhere. */
export type PublishedPart = DaoDocuments & PartContext;

/** Checks the documents of one DAO, once for all that comes after. */
export function checkDaoDocuments(part: PublishedPart): CheckResult {
  return checkShapes(documentsOfDaos(part), (byPath) => [
    ...checkPart(part),
    ...part.listings.flatMap(checkWholeListing),
    // Lines are taken as they will be written, since the evidence holds the hash of their file.
    ...part.evidence.flatMap(({ evidence, proposals }) => {
      const written = byPath.get(PATHS.proposals(part.spaceId));
      const isShaped = written?.kind === "proposals" && written.value !== undefined;
      return checkProposalLines({ evidence, proposals: isShaped ? written.value : proposals });
    }),
  ]);
}

/** Checks the lists of a version, against what is known of the documents of its DAOs. */
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
    ...documents.flatMap((each) => each.problems),
    ...agree(byPath),
    ...unless(byPath.size === documents.length, "documents", "two of them would have the same path"),
  ];
  if (problems.length > 0) return { problems, checked: undefined };
  const sorted = [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { problems, checked: sorted as unknown as CheckedDocuments };
}

/** Where and why a document does not have its shape, without its content. */
function complaints(name: string, error: z.ZodError | undefined): readonly DocumentProblem[] {
  return (error?.issues ?? []).map(({ path, message }) => ({
    code: "SHAPE_INVALID",
    message: `${[name, ...path.map(String)].join(" ")}: ${message}`,
  }));
}
