import type { UnscoredDao } from "../../../snapshots/format/dao.ts";
import type { Evidence } from "../../../snapshots/format/evidence.ts";
import { RISK_DECIMALS, roundTo } from "../../../snapshots/format/ids.ts";
import type { PublishedEvidence } from "../../../snapshots/format/published-set.ts";
import type { Ranking } from "../../../snapshots/format/rankings.ts";
import { type ComponentKey, riskLevelOf } from "../../../snapshots/format/value-sets.ts";
import {
  type PublishedDocuments,
  readPublishedDocuments,
} from "../../../snapshots/store/read/read-documents.ts";
import { type ChosenVersion, chooseExplained, type VersionOptions } from "../../home/choose-version.ts";
import type { Settings } from "../../home/settings.ts";
import { withStore } from "../../home/store-errors.ts";
import { readExplained } from "../read-explained.ts";
import { refuseUnknown } from "../refuse-unknown.ts";
import { spell } from "../spell.ts";
import { leftOut, movingProposals } from "./moving-proposals.ts";
import { explainCertainty, explainComponents, explainInterval } from "./scores.ts";

interface ExplainOptions extends VersionOptions {
  readonly spaceId: string;
  readonly component: ComponentKey | undefined;
}

/** The explanation, and the evidence that it was made from. */
export type ExplainResult = Awaited<ReturnType<typeof runExplain>>;

/** `govdata explain`: why a DAO has its score, from published files only. Throws `PipelineFailure`. */
export async function runExplain(settings: Settings, request: ExplainOptions) {
  const chosen = await chooseExplained(settings, request);
  const { spaceId, component } = request;
  return withStore(() => {
    const documents = readPublishedDocuments(settings.snapshotsDirectory, chosen.version);
    const unscored = documents.unscored().find((dao) => dao.space_id === spaceId);
    const published = readExplained(chosen, spaceId, unscored);
    if (published === undefined) return refuseUnknown(spaceId, documents);
    const ranking = documents.rankings.get(spaceId);
    return { story: storyOf(chosen, documents.daos, { unscored, ranking }, published, component), published };
  });
}

function storyOf(
  { version, isCurrent }: ChosenVersion,
  daos: PublishedDocuments["daos"],
  {
    unscored,
    ranking,
  }: { readonly unscored: UnscoredDao | undefined; readonly ranking: Ranking | undefined },
  published: PublishedEvidence,
  component: ComponentKey | undefined,
) {
  const { evidence, proposals } = published;
  const { space_id: spaceId } = evidence;
  const scored = daos.find((dao) => dao.space_id === spaceId);
  const dao = scored ?? unscored;
  return {
    version,
    isCurrent,
    asOf: evidence.as_of,
    methodologyVersion: evidence.methodology_version,
    spaceId,
    name: dao?.name ?? spaceId,
    category: dao?.category ?? "unknown",
    gvs: explainInterval(evidence.gvs),
    unscored: unscored?.reason,
    confidence: evidence.gvs_confidence,
    rank: scored && { place: scored.rank, total: daos.length },
    component,
    components: explainComponents(evidence),
    frame: explainFrame(published),
    proposals: movingProposals(published, component),
    leftOut: leftOut(proposals),
    risk: explainRisk(evidence),
    certainty: explainCertainty(evidence, ranking),
  };
}

function explainFrame({ evidence, proposals }: PublishedEvidence) {
  const ends = proposals.flatMap((line) => (line.place === "MEMBER" ? (line.end_at ?? []) : []));
  const { frame } = evidence;
  return {
    known: frame.known,
    members: frame.members,
    firstEndedAt: ends.at(0),
    lastEndedAt: ends.at(-1),
    /** Σw. */
    weight: frame.weight,
  };
}

/** Risk as the larger of two numbers; `undefined` if it is not assessed. */
export function explainRisk({ risk }: Evidence) {
  if (risk === null) return undefined;
  return {
    low: risk.low,
    point: risk.point,
    high: risk.high,
    level: riskLevelOf(roundTo(risk.point, RISK_DECIMALS)),
    /** The two numbers whose maximum is the point, the larger first. */
    sources: [
      { name: "decentralisation and vitality", points: risk.base },
      { name: "one voter decides alone", points: risk.dominance_floor },
    ].toSorted((a, b) => b.points - a.points),
    factors: [
      { name: "capture by few voters", value: risk.governance_capture_risk },
      { name: "power of the four largest voters", value: `${risk.whale_control_pct.toFixed(1)} %` },
      { name: "active voters in 90 days", value: spell.known(risk.active_voter_count, String) },
      { name: "concentration of delegated power", value: risk.delegate_centralization },
      {
        name: "proposals a month",
        value: `${risk.proposals_per_month.toFixed(1)} (${risk.proposal_velocity.replaceAll("_", " ")})`,
      },
      {
        name: "power cast in batches",
        value: spell.known(risk.checkpoint_voting_pct, (pct) => `${pct.toFixed(1)} %`),
      },
    ],
  };
}
