/**
 * Every constant with judgement in it, once. A changed constant or formula bumps `version`;
 * what has no source is marked (ours). `govdata methodology` prints this table.
 */
export const METHODOLOGY = {
  version: "1.1.0",

  frame: {
    /** Days before t in which every attended proposal is in the frame (ours: two quarters). */
    windowDays: 180,
    /** Σω that the frame is filled up to with older proposals (ours). */
    attentionTarget: 20,
    /** Days before t beyond which nothing is evidence of how a DAO votes now (ours: two years). */
    horizonDays: 730,
    /** A unit's scale is the power-weighted median of this many largest proposals, so that a heap of small ones cannot pull it down (ours). */
    scaleProposals: 50,
    /** Part of the scale below which a proposal gets no attention (ours). */
    attentionFloor: 0.25,
    /** Eligible proposals from which confidence is `high` (the API's contract). */
    highConfidenceProposals: 20,
  },

  votes: {
    /** Share of a ballot's power from which a head weighs fully; a quarter of it weighs nothing (ours). */
    fullHeadShare: 1e-6,
    /** Share below which a vote is dust (ours: the quarter above). */
    dustShare: 2.5e-7,
  },

  coordination: {
    /** Two votes this close in time coincide (ours). */
    windowSeconds: 60,
    /** A window with more voters carries no evidence: a burst is not a pair (ours; changed no link on 23 real spaces). */
    windowVotersMax: 256,
    /** Fewest coincidences that can link two wallets (ours). */
    coincidencesMin: 3,
    /** Part of their common proposals on which two wallets must coincide (ours). */
    coincidenceShareMin: 0.5,
    /** Expected false links in a frame of independent votes (ours). */
    falseLinks: 0.01,
    /** Fewest proposals, and the share of votes with a time, that the test needs (ours). */
    proposalsMin: 3,
    timedShareMin: 0.5,
    /** What a participation score that could not be tested may reach (ours). */
    untestedPointsMax: 5,
  },

  participation: {
    /** Draws of the rarefaction (Hurlbert's expected number in so many draws). */
    rarefactionDraws: 5,
    /** Loyalty that earns full marks (ours). */
    fullMarksLoyalty: 0.4,
    /** Heads that earn nothing, and heads that earn full marks, on a logarithmic scale (ours). */
    breadthFromHeads: 5,
    breadthFullHeads: 1000,
    /** Days since the last proposals at which presence begins to fade, and over how many it does (ours). */
    presenceDays: 180,
    presenceFadeDays: 60,
  },

  decentralization: {
    /** Effective voters, Nakamoto heads and top share that earn full marks; top share that earns nothing (ours). */
    fullMarksEffectiveVoters: 50,
    fullMarksNakamoto: 25,
    fullMarksTopShare: 0.05,
    noMarksTopShare: 0.5,
    /** Relative margin over one half, so that equal voters do not hang on rounding. */
    majorityMargin: 1e-9,
  },

  deliberation: {
    weights: {
      discussion: 0.2,
      votingPeriod: 0.2,
      reviewDelay: 0.1,
      contestedness: 0.15,
      rationale: 0.1,
      halfPowerTime: 0.1,
      notBatch: 0.15,
    },
    /** A vote of one day earns nothing, one of seven days full marks (ours). */
    votingPeriodFromDays: 1,
    votingPeriodSpanDays: 6,
    /** Days between creation and start that earn full marks (ours). */
    fullMarksReviewDays: 2,
    /** Share against the winner that earns full marks (ours). */
    fullMarksDissentShare: 0.25,
    /** Share of votes with a reason that earns full marks (ours). */
    fullMarksRationaleShare: 0.1,
    /** Share of the weights that a proposal must have present (ours). */
    presentShareMin: 0.5,
  },

  process: {
    weights: { quorum: 0.3, cadence: 0.25, proposers: 0.25, guardrails: 0.2 },
    /** Part of the usual power below which a quorum means nothing (ours). */
    meaningfulQuorumShare: 0.01,
    /** Days after a proposal's end that count as active, and the days looked at (ours). */
    cadenceReachDays: 30,
    cadenceWindowDays: 180,
    /** Effective proposers that earn full marks (ours). */
    fullMarksProposers: 10,
    /** Admins or moderators that a guarded space has at least (ours). */
    guardiansMin: 2,
    /** Guardrails that must be known (ours). */
    guardrailsMin: 2,
    presentShareMin: 0.5,
  },

  vitality: {
    weights: { hpr: 0.3, dei: 0.3, pdi: 0.2, gpi: 0.2 },
    /** Σω from which evidence is not thin any more, and the points above which thin evidence is discounted (ours). */
    fullEvidenceAttention: 20,
    neutralPoints: 5,
  },

  risk: {
    weights: { hpr: 0.2, dei: 0.45, pdi: 0.15, gpi: 0.2 },
    /** Floor of the risk where one head decides every second vote (ours). */
    dominanceFloor: 75,
    /** Floor of the risk of ten active voters or fewer, gone at twenty (ours). */
    smallnessFloor: 50,
    smallnessNoneVoters: 20,
    smallnessSpanVoters: 10,
    /** The heads whose joint share is called whale control (CR4 of industrial concentration). */
    whales: 4,
    /** Days that count as now for voters and proposals (ours: a quarter). */
    activityDays: 90,
    /** Delegation data older than this say nothing about today (ours). */
    delegationDays: 45,
    /** Daily points the trend looks at, the fewest it needs, and the change over them that it calls one (ours). */
    trendDays: 30,
    trendPointsMin: 14,
    trendChange: 2,
  },

  index: {
    /** Σω and completeness a member needs, and the fewest members an index has (ours). */
    memberAttentionMin: 5,
    memberCompletenessMinPct: 60,
    membersMin: 5,
  },

  completeness: {
    weights: { votes: 0.4, final: 0.2, reconciled: 0.15, fields: 0.15, freshness: 0.1 },
    /** Part of the declared power by which a sum may miss it (ours). */
    reconciledWithin: 0.01,
    /** Hours up to which a fetch is fresh, and days after which it is worth nothing (ours). */
    freshHours: 24,
    staleDays: 7,
  },

  uncertainty: {
    /** Resamples of the frame's proposals, and the shares of them that the interval leaves below and above (a 90 % interval). */
    resamples: 1000,
    lowShare: 0.05,
    highShare: 0.95,
    /** Part by which each weight is changed, one at a time, to see what ranks hang on it (the OECD/JRC handbook asks for such a test). */
    weightChange: 0.25,
  },
} as const;
