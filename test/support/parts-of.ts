import { contextsOf } from "../../snapshots/format/agreement/check-documents.ts";
import type { DocumentSet, PartContext } from "../../snapshots/format/agreement/disagreement.ts";
import type { DaoDocuments } from "../../snapshots/format/published-set.ts";

const KINDS = ["details", "risks", "listings", "graphs", "histories", "evidence", "emptyFrames"] as const;

/** Groups the documents of a set by DAO, sorted by space_id, each with its part of the lists. */
type WholeSet = DocumentSet & Partial<Pick<DaoDocuments, "emptyFrames">>;

export function partsOf<Set extends WholeSet>(
  set: Set,
): readonly (PartContext & Pick<Set, keyof DaoDocuments & keyof Set>)[] {
  const contextOf = contextsOf(set);
  const byDao = new Map<string, Record<(typeof KINDS)[number], object[]>>();
  for (const kind of KINDS) {
    for (const document of set[kind] ?? []) {
      const spaceId = spaceIdOf(document);
      let part = byDao.get(spaceId);
      if (part === undefined) {
        part = {
          details: [],
          risks: [],
          listings: [],
          graphs: [],
          histories: [],
          evidence: [],
          emptyFrames: [],
        };
        byDao.set(spaceId, part);
      }
      part[kind].push(document);
    }
  }
  return [...byDao]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([spaceId, part]) =>
        ({ ...contextOf(spaceId), ...part }) as PartContext & Pick<Set, keyof DaoDocuments>,
    );
}

type IdentifiedDocument =
  | { readonly space_id: string }
  | { readonly spaceId: string }
  | { readonly evidence: { readonly space_id: string } };

function spaceIdOf(document: IdentifiedDocument): string {
  if ("spaceId" in document) return document.spaceId;
  return "evidence" in document ? document.evidence.space_id : document.space_id;
}
