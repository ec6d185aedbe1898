import { digestOf } from "../../snapshots/format/agreement/check-documents.ts";
import {
  type CheckedDocuments,
  checkDaoDocuments,
  type DocumentProblem,
  type PublishedPart,
} from "../../snapshots/format/agreement/check-shapes.ts";
import { documentsOfDaos } from "../../snapshots/format/documents.ts";
import type { HiddenEntity } from "../../snapshots/format/hidden-entities.ts";
import { checkFrame } from "./check-fetches.ts";
import { checkPrivacy } from "./check-privacy.ts";
import type { GatedDao, Underived } from "./gate-input.ts";
import { finding, type GateFinding } from "./gate-rules.ts";

/** Documents without their shape, or that disagree, as a gate says it. */
export function problemFindings(problems: readonly DocumentProblem[]): readonly GateFinding[] {
  return problems.map(({ code, message }) =>
    finding(code === "SHAPE_INVALID" ? "SHAPE_INVALID" : "PARTS_DISAGREE", message),
  );
}

/**
 * Everything that must hold of the documents of one DAO alone. Answers all findings: sums and privacy are looked at even
 * where a shape fails; `checked` is absent where there is one, since none of them can be let pass.
 */
export function checkDao(
  part: PublishedPart,
  optedOut: readonly HiddenEntity[],
  differences: readonly Underived[],
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
