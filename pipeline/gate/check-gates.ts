import { checkDocuments } from "../../snapshots/format/agreement/check-documents.ts";
import { checkProposalLines } from "../../snapshots/format/agreement/check-evidence.ts";
import { checkWholeListing } from "../../snapshots/format/agreement/check-listing.ts";
import { isCanonical } from "../../snapshots/format/canonical-json.ts";
import { type PublishedDocument, publishedDocuments } from "../../snapshots/format/documents.ts";
import { MethodologyVersion, Timestamp } from "../../snapshots/format/ids.ts";
import type { PublishedSet } from "../../snapshots/format/published-set.ts";
import { checkRejectedRows, checkTime, type TimeInput } from "./check-fetches.ts";
import { checkPlausibility, type PlausibilityInput } from "./check-plausibility.ts";
import { checkPrivacy, type HiddenEntity } from "./check-privacy.ts";
import { type GateFinding, type Refuse, refuseUnless } from "./gate-rules.ts";
import type { FetchedRows } from "./previous-version.ts";

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

/** A number that its evidence gives otherwise; who derives is no business of a gate. */
export interface DerivedOtherwise {
  readonly path: string;
  readonly published: unknown;
  readonly recomputed: unknown;
}

/** So many are named; one fault of ours shows in hundreds of numbers. */
const NAMED_MAX = 5;

const spelled = (value: unknown): string => JSON.stringify(value) ?? "nothing";

/** Numbers of the version that do not follow from its own evidence. */
export function checkDerivation(
  differences: readonly DerivedOtherwise[],
  refuse: Refuse,
): readonly GateFinding[] {
  const named = differences.slice(0, NAMED_MAX).map(({ path, published, recomputed }) => {
    const message = `${path}: is ${spelled(published)}, but its evidence gives ${spelled(recomputed)}`;
    return refuse("EVIDENCE_DIFFERS", message);
  });
  const others = differences.length - named.length;
  if (others === 0) return named;
  return [...named, refuse("EVIDENCE_DIFFERS", `${others} more numbers do not follow from their evidence`)];
}

/** Every document parses under its shape, so every number is finite and in its range. Answers all problems, not the first. */
export function checkShapes(set: PublishedSet): readonly GateFinding[] {
  const documents: readonly PublishedDocument[] = [
    { path: "as_of", shape: Timestamp, value: set.asOf },
    { path: "methodology_version", shape: MethodologyVersion, value: set.methodologyVersion },
    ...publishedDocuments(set),
  ];
  return documents.flatMap(({ path, shape, value }) => {
    if (isCanonical(shape, value)) return [];
    const parsed = shape.safeParse(value);
    if (parsed.success) return [];
    return parsed.error.issues.map((issue): GateFinding => {
      const place = [path, ...issue.path.map(String)].join(" ");
      return { code: "SHAPE_INVALID", severity: "refuse", message: `${place}: ${issue.message}` };
    });
  });
}

/** What stands before a version is written. */
export interface GateInput extends Omit<PlausibilityInput, "optOuts">, Omit<TimeInput, "set"> {
  /** The entities of the registry that opted out. */
  readonly optedOut: readonly HiddenEntity[];
  /** How many opted out, where that is not the number of `optedOut`: a list of live opt-outs may be counted by itself. */
  readonly optOuts?: number;
  /** What the last whole fetch of each DAO brought. */
  readonly rows: readonly FetchedRows[];
  /** Every number of the set that does not follow again from its evidence. */
  readonly differences: readonly DerivedOtherwise[];
}

/**
 * Everything that must hold before a byte is written, in the order of `GATE_RULES`. Answers all findings; with one of
 * severity `refuse` nothing may be published. Sums and privacy are looked at even where a shape fails.
 */
export function checkGates(input: GateInput): readonly GateFinding[] {
  const { set, optedOut, rows, differences } = input;
  const refuse = refuseUnless(input.overrides);
  const previous = input.previous === undefined || "damage" in input.previous ? undefined : input.previous;
  return [
    ...checkShapes(set),
    ...checkAgreement(set),
    ...checkPrivacy(set, optedOut),
    ...checkDerivation(differences, refuse),
    ...checkTime(input, previous, refuse),
    ...checkRejectedRows(rows, previous?.rows ?? [], refuse),
    ...checkPlausibility({ ...input, optOuts: input.optOuts ?? optedOut.length }),
  ];
}
