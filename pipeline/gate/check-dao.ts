import { digestOf } from "../../snapshots/format/agreement/check-documents.ts";
import {
  type CheckedDocuments,
  checkDaoDocuments,
  type DocumentProblem,
} from "../../snapshots/format/agreement/check-shapes.ts";
import type { DocumentPart } from "../../snapshots/format/agreement/disagreement.ts";
import { documentsOfDaos } from "../../snapshots/format/documents.ts";
import type { HiddenEntity } from "../../snapshots/format/hidden-entities.ts";
import type { Difference } from "../recompute/differences.ts";
import { checkFrame } from "./check-fetches.ts";
import { checkPrivacy } from "./check-privacy.ts";
import type { GatedDao } from "./gate-input.ts";
import { finding, type GateFinding } from "./gate-rules.ts";

/** Converts problems of documents (wrong shape, disagreement) into gate findings. */
export function problemFindings(problems: readonly DocumentProblem[]): readonly GateFinding[] {
  return problems.map(({ code, message }) =>
    finding(code === "SHAPE_INVALID" ? "SHAPE_INVALID" : "PARTS_DISAGREE", message),
  );
}

/**
 * Runs all gates on the documents of one DAO. Returns all findings: sums and privacy are checked even if a shape is
 * wrong. `checked` is `undefined` if there is any finding, because none of these can be overridden.
 */
export function checkDao(
  part: DocumentPart,
  optedOut: readonly HiddenEntity[],
  differences: readonly Difference[],
): { readonly gated: GatedDao; readonly checked: CheckedDocuments | undefined } {
  const { checked, problems } = checkDaoDocuments(part);
  const findings = [
    ...problemFindings(problems),
    ...checkPrivacy(documentsOfDaos(part), optedOut),
    ...part.evidence.flatMap((evidence) => checkFrame(evidence, part.asOf)),
  ];
  const gated: GatedDao = {
    digest: digestOf(part),
    findings,
    differences,
    completeness: part.details[0]?.data_completeness,
    fetchedAt: part.listings[0]?.latest.fetched_at,
  };
  return { gated, checked: findings.length > 0 ? undefined : checked };
}
