import { checkDocuments } from "../../snapshots/format/agreement/check-documents.ts";
import { checkProposalLines } from "../../snapshots/format/agreement/check-evidence.ts";
import { checkWholeListing } from "../../snapshots/format/agreement/check-listing.ts";
import type { PublishedSet } from "../../snapshots/format/published-set.ts";
import type { GateFinding } from "./gate-finding.ts";

/** Parts add up to their totals and documents agree with each other: the store's own rules, asked before it is. */
export function checkAgreement(set: PublishedSet): readonly GateFinding[] {
  const disagreements = [
    ...checkDocuments(set),
    ...set.listings.flatMap(checkWholeListing),
    ...set.evidence.flatMap(checkProposalLines),
  ];
  return disagreements.map(({ message }) => ({
    code: "PARTS_DISAGREE",
    severity: "refuse",
    message,
  }));
}
