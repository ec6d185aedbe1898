import { DAY_MS } from "../../snapshots/base/days.ts";
import type { UnscoredDao } from "../../snapshots/format/dao.ts";
import { intervalsOf } from "../../snapshots/format/envelope.ts";
import { measuresDigest } from "../../snapshots/format/evidence-digest.ts";
import { dayOf, timestampOf } from "../../snapshots/format/ids.ts";
import type { DaoEvidence } from "../score/dao-evidence.ts";
import { INDICATORS, type IndicatorId } from "../score/method/indicators.ts";
import type { UnscoredReason } from "../score/score-measures.ts";
import { buildMeasured, hasEmptyFrame } from "./evidence-documents.ts";
import { published, type ScoredDao } from "./scored-dao.ts";

/** The published message for each reason; a new reason does not compile without one. */
const UNSCORED_MESSAGES: Readonly<Record<UnscoredReason, string>> = {
  SPACE_FLAGGED: "The platform on which the DAO votes has flagged its space as abuse or spam.",
  NO_PROPOSALS: "No finished proposal with enough voting power ended in the last two years.",
  TOO_LITTLE_KNOWN: "More than half of the scale is open: too little is known for a score.",
};

/** Why there is no score. The message that nothing ended recently is used only with recent data. */
function messageOf(reason: UnscoredReason, { current, evidence }: ScoredDao): string {
  const { fetchedAtMs } = evidence.measures;
  const [present, maybePresent] = current.presence;
  if (reason === "TOO_LITTLE_KNOWN" && fetchedAtMs !== undefined && present < maybePresent)
    return `More than half of the scale is open: votes are known until ${dayOf(fetchedAtMs)}, and not whether the DAO has voted since.`;
  if (reason !== "NO_PROPOSALS") return UNSCORED_MESSAGES[reason];
  if (fetchedAtMs === undefined) return "No finished proposal with a vote on it is known.";
  if (current.asOfMs - fetchedAtMs < DAY_MS) return UNSCORED_MESSAGES[reason];
  return `Votes are known until ${dayOf(fetchedAtMs)}; no finished proposal with enough voting power is known of the two years before the moment of this version.`;
}

/** The entry of a DAO in `unscored.json`, without its unknown indicators. */
export type UnscoredLine = Omit<UnscoredDao, "not_known">;

/** What is known of a DAO without a score, and why it has none; `undefined` for a scored DAO. */
export function buildUnscored(scored: ScoredDao): UnscoredLine | undefined {
  const { dao, current, evidence } = scored;
  const { unscored: code, risk, presence, completenessPct } = current;
  if (code === undefined) return undefined;
  return {
    space_id: dao.spaceId,
    name: dao.name,
    category: dao.category,
    reason: { code, message: messageOf(code, scored) },
    interval: intervalsOf({ ...current, risk: risk === undefined ? null : risk.score }),
    known_share: published(current.knownShare),
    presence: [published(presence[0]), published(presence[1])],
    ...(completenessPct === undefined ? {} : { data_completeness: published(completenessPct) }),
    ...(hasEmptyFrame(evidence) ? { empty_frame: emptyFrameOf(evidence) } : {}),
    assessed_at: timestampOf(current.asOfMs),
  };
}

function emptyFrameOf({ links, measures }: DaoEvidence): NonNullable<UnscoredDao["empty_frame"]> {
  const measured = buildMeasured(measures);
  return {
    ...(Object.keys(links).length === 0 ? {} : { links }),
    measures: measured.measures,
    measures_sha256: measuresDigest(measured),
  };
}

/** Each indicator with the data that it needs; these objects are shared by all DAOs, maybe tens of thousands. */
const NOT_KNOWN = Object.fromEntries(
  INDICATORS.map(({ id, component, source }) => [id, { id, component, source }]),
) as Readonly<Record<IndicatorId, UnscoredDao["not_known"][number]>>;

export function buildNotKnown(ids: readonly IndicatorId[]): UnscoredDao["not_known"] {
  return ids.map((id) => NOT_KNOWN[id]);
}
