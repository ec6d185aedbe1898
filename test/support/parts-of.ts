import { contextsOf } from "../../snapshots/format/agreement/check-documents.ts";
import type { DocumentPart } from "../../snapshots/format/agreement/disagreement.ts";
import type { PublishedSet } from "../../snapshots/format/published-set.ts";

const KINDS = ["details", "risks", "listings", "graphs", "histories", "evidence", "emptyFrames"] as const;

/** Groups the documents of a set by DAO, sorted by space_id, each with its part of the lists. */
export function partsOf(set: PublishedSet): readonly DocumentPart[] {
  const contextOf = contextsOf(set);
  const spaceIds = new Set(KINDS.flatMap((kind) => set[kind].map(spaceIdOf)));
  return [...spaceIds].toSorted().map((spaceId) => {
    const documents = KINDS.map((kind) => [
      kind,
      set[kind].filter((document: IdentifiedDocument) => spaceIdOf(document) === spaceId),
    ]);
    return { ...contextOf(spaceId), ...Object.fromEntries(documents) };
  });
}

type IdentifiedDocument =
  | { readonly space_id: string }
  | { readonly spaceId: string }
  | { readonly evidence: { readonly space_id: string } };

function spaceIdOf(document: IdentifiedDocument): string {
  if ("spaceId" in document) return document.spaceId;
  return "evidence" in document ? document.evidence.space_id : document.space_id;
}
