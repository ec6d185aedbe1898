import type { z } from "zod";
import { DOCUMENTS, documentsOf, type PublishedDocument } from "../documents.ts";
import { MethodologyVersion, Timestamp } from "../ids.ts";
import { PATHS } from "../paths.ts";
import type { PublishedSet } from "../published-set.ts";
import { checkDocuments } from "./check-documents.ts";
import { checkProposalLines } from "./check-evidence.ts";
import { checkWholeListing } from "./check-listing.ts";
import { type Disagreement, unless } from "./disagreement.ts";

declare const CHECKED: unique symbol;

/** A set whose documents all have their shapes and agree with each other: made by `checkSet` alone, and all that the store takes. */
export interface CheckedSet {
  readonly [CHECKED]: true;
  readonly asOf: string;
  readonly methodologyVersion: string;
  /** By path, each once; as its shape spells it, so that writing it down gives canonical JSON. */
  readonly documents: readonly PublishedDocument[];
}

/** Something for which a set cannot be published. */
export type SetProblem = Disagreement | { readonly code: "SHAPE_INVALID"; readonly message: string };

/** Checks every document of a set, once for all that comes after. Answers all problems, not the first: sums are looked at even where a shape fails. */
export function checkSet(set: PublishedSet): {
  readonly problems: readonly SetProblem[];
  /** Absent where there is a problem. */
  readonly checked: CheckedSet | undefined;
} {
  const { asOf, methodologyVersion } = set;
  const documents = documentsOf(set).map(({ name, value, ...document }) => {
    const { data, error } = DOCUMENTS[document.kind].shape.safeParse(value);
    return { document: { ...document, value: data } as PublishedDocument, problems: complaints(name, error) };
  });
  const byPath = new Map(documents.map(({ document }) => [document.path, document]));
  const problems = [
    ...complaints("as_of", Timestamp.safeParse(asOf).error),
    ...complaints("methodology_version", MethodologyVersion.safeParse(methodologyVersion).error),
    ...documents.flatMap((each) => each.problems),
    ...checkAgreement(set, byPath),
    ...unless(byPath.size === documents.length, "documents", "two of them would have the same path"),
  ];
  if (problems.length > 0) return { problems, checked: undefined };
  const sorted = [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { problems, checked: { asOf, methodologyVersion, documents: sorted } as unknown as CheckedSet };
}

/** Where and why a document does not have its shape, without its content. */
function complaints(name: string, error: z.ZodError | undefined): readonly SetProblem[] {
  return (error?.issues ?? []).map(({ path, message }) => ({
    code: "SHAPE_INVALID",
    message: `${[name, ...path.map(String)].join(" ")}: ${message}`,
  }));
}

/** Lines are taken as they will be written, since the evidence holds the hash of their file. */
function checkAgreement(
  set: PublishedSet,
  byPath: ReadonlyMap<string, PublishedDocument>,
): readonly Disagreement[] {
  return [
    ...checkDocuments(set),
    ...set.listings.flatMap(checkWholeListing),
    ...set.evidence.flatMap(({ evidence, proposals }) => {
      const written = byPath.get(PATHS.proposals(evidence.space_id));
      const isShaped = written?.kind === "proposals" && written.value !== undefined;
      return checkProposalLines({ evidence, proposals: isShaped ? written.value : proposals });
    }),
  ];
}
