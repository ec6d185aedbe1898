import { expect, test } from "vitest";
import { buildEvidence } from "../../../pipeline/documents/evidence-documents.ts";
import type { ProposalEvidence } from "../../../pipeline/score/dao-evidence.ts";
import type { ProposalMeasures } from "../../../pipeline/score/method/measures.ts";
import { MARK_IDS, MEASURE_COLUMNS } from "../../../snapshots/format/proposal-line.ts";
import { DAY, sampleMeasures, sampleProposal, T } from "../score/sample-facts.ts";
import { daoScore, riskOf } from "./scored-daos.ts";

const UNKNOWN = Object.fromEntries(MARK_IDS.map((id) => [id, undefined])) as ProposalMeasures["marks"];

/** A member of half the age at which its weight is 0; no two of its numbers are alike. */
const MEASURES: ProposalMeasures = {
  proposalId: "m0",
  endMs: T - 365 * DAY,
  unit: 1,
  power: 901,
  attention: 0.8,
  votes: 7,
  marks: { ...UNKNOWN, breadth: [0.25, 0.5], quorum: [0.125, 1] },
  loyaltyAttention: 3,
  concentration: {
    majorityVoters: 2,
    hhiPoints: 3000,
    gini: 0.6,
    topShare: 0.41,
    mergedTopShare: 0.51,
    whaleShare: 0.91,
  },
  concentrationEnds: { majorityVoters: [1, 4], hhiPoints: [2500, 3500], gini: [0.55, 0.65] },
  quorum: 300,
  quorumPower: 200,
  fetchedShare: 0.95,
  fieldsShare: 0.875,
};
const LINE = {
  ...{ declared_votes: 8, declared_power: 900, power: 901, attention: 0.8, weight: 0.4, votes: 7 },
  ...{ breadth_low: 0.25, breadth_high: 0.5, quorum_low: 0.125, quorum_high: 1, loyalty_attention: 3 },
  ...{ top_share: 0.41, merged_top_share: 0.51, whale_share: 0.91 },
  ...{ majority_voters: 2, majority_voters_low: 1, majority_voters_high: 4 },
  ...{ hhi_points: 3000, hhi_points_low: 2500, hhi_points_high: 3500 },
  ...{ gini: 0.6, gini_low: 0.55, gini_high: 0.65 },
  ...{ quorum: 300, quorum_power: 200, fetched_share: 0.95, fields_share: 0.875 },
};
const NOTHING = { concentration: undefined, quorum: undefined, quorumPower: undefined };
const NULLS = Object.fromEntries(MEASURE_COLUMNS.map((name) => [name, null]));

const line = (parts: Partial<ProposalEvidence>): ProposalEvidence => ({
  facts: sampleProposal("m0", { votesCount: 8, scoresTotal: 900 }),
  ...{ unit: 1, place: "MEMBER", power: 901, measures: MEASURES },
  ...parts,
});

test.each<{ why: string; given: ProposalEvidence; wanted: object }>([
  { why: "what is measured", given: line({}), wanted: LINE },
  {
    why: "null for what no vote tells",
    given: line({ measures: { ...MEASURES, ...NOTHING, marks: UNKNOWN } }),
    wanted: {
      ...LINE,
      ...{ breadth_low: null, breadth_high: null, quorum_low: null, quorum_high: null },
      ...{ top_share: null, merged_top_share: null, whale_share: null },
      ...{ majority_voters: null, hhi_points: null, gini: null, quorum: null, quorum_power: null },
    },
  },
  {
    why: "null where any number of voters may be unknown",
    given: line({
      measures: {
        ...MEASURES,
        concentrationEnds: { ...MEASURES.concentrationEnds, majorityVoters: [1, Infinity] },
      },
    }),
    wanted: { ...LINE, majority_voters_high: null },
  },
  {
    why: "null, and no zero, for everything outside the frame that no source declares",
    given: line({
      facts: sampleProposal("m0", { votesCount: undefined, scoresTotal: undefined }),
      power: undefined,
      measures: undefined,
    }),
    wanted: {},
  },
])("a line has $why", ({ given, wanted }) => {
  const evidence = { measures: sampleMeasures([]), proposals: [given], links: {} };
  const [built] = buildEvidence(evidence, daoScore()).proposals;
  const measured = Object.fromEntries(MEASURE_COLUMNS.map((name) => [name, built?.[name]]));
  expect(measured).toEqual({ ...NULLS, ...wanted });
});

test("a risk has null for what is not known of it", () => {
  const risk = { ...riskOf(40), activeVoterCount: undefined, checkpointVotingPct: undefined };
  const { evidence } = buildEvidence(
    { measures: sampleMeasures([]), proposals: [], links: {} },
    daoScore({ risk }),
  );
  expect(evidence.risk).toMatchObject({
    ...{ governance_capture_risk: "high", whale_control_pct: 61.016, active_voter_count: null },
    ...{ delegate_centralization: "moderate", proposal_velocity: "low", proposals_per_month: 0.5 },
    checkpoint_voting_pct: null,
  });
});
