/**
 * Every constant with judgement in it, once. A changed constant or formula bumps `version`;
 * what has no source is marked (ours). `govdata methodology` prints this table.
 */
export const METHODOLOGY = {
  version: "2.0.0",

  frame: {
    /** Days over which the weight of a proposal fades to nothing, in a straight line (ours: two years). */
    horizonDays: 730,
    /** A unit's scale is the power-weighted median of this many largest proposals, so that a heap of small ones cannot pull it down (ours). */
    scaleProposals: 50,
    /** Part of the scale below which a proposal gets no attention (ours). */
    attentionFloor: 0.25,
    /** Eligible proposals from which confidence is `high` (the API's contract). */
    highConfidenceProposals: 20,
  },

  interval: {
    /** Unseen proposals that could be anything (Walley's imprecise Dirichlet model, s = 2). */
    unseenProposals: 2,
    /** Days since its end at which a proposal stops counting as presence, and the days over which it fades (ours). */
    presenceDays: 180,
    presenceFadeDays: 60,
    /** Attended proposals that are full presence (ours). */
    presenceProposals: 2,
    /** Days without a look after which a DAO may as well have been fully present (ours). */
    staleDays: 7,
    /** Known share below which a DAO is unscored: more than half of the scale is open (ours). */
    knownShareMin: 0.5,
  },

  components: {
    /** Weights of the geometric mean of 1 + points (ours). */
    weights: { hpr: 0.3, dei: 0.3, pdi: 0.2, gpi: 0.2 },
    /** Part by which each weight is changed, one at a time, to see what ranks hang on it (the OECD/JRC handbook asks for such a test). */
    weightChange: 0.25,
  },

  participation: {
    /** Share of a ballot's power beyond which a voter counts as others of this share do (ours). */
    capShare: 0.01,
    /** Effective participants that earn nothing, and those that earn full marks, on a logarithmic scale (ours). */
    breadthFrom: 3,
    breadthFull: 100,
    /** Σω of the earlier proposals that a proposal's voters are looked for in (ours). */
    loyaltyAttention: 10,
    /** Loyalty that earns full marks (ours). */
    fullMarksLoyalty: 0.5,
  },

  decentralization: {
    /** Equal voters that earn full marks, on a logarithmic scale (ours). */
    fullMarksVoters: 50,
    /** Relative margin over one half, so that equal voters do not hang on rounding. */
    majorityMargin: 1e-9,
  },

  alikeness: {
    /** The largest voters, which smaller ones may be pieces of (ours). */
    receivers: 100,
    /** Votes that count against alikeness from the start: five votes alike prove nothing (ours). */
    doubt: 5,
    /** Alikeness from which wallets begin to be merged, and over how much more of it (ours; .9 to 1.1 % of pairs of unlabelled holders reach it). */
    from: 0.5,
    span: 0.2,
    /** Difference up to which two are equally large, or equally alike to a third. */
    equalWithin: 1e-9,
  },

  deliberation: {
    /** A vote of one day earns nothing, one of seven days full marks (ours). */
    periodFromDays: 1,
    periodSpanDays: 6,
    /** Days between creation and start that earn full marks (ours). */
    fullMarksDelayDays: 2,
    /** Share against the winner that earns full marks (ours). */
    fullMarksDissent: 0.25,
    /** Capped power with a reason that earns full marks (ours). */
    fullMarksRationale: 0.1,
    /** Seconds between two votes of a wallet that make them a batch (ours). */
    batchSeconds: 60,
  },

  process: {
    /** Part of the usual power below which a quorum fades (ours). */
    meaningfulQuorumShare: 0.01,
    /** Days after a proposal's end that count as active, and the days looked at (ours). */
    cadenceReachDays: 30,
    cadenceWindowDays: 180,
    /** Chance of different authors that earns full marks (ours). */
    fullMarksProposers: 0.9,
    /** Admins or moderators that a guarded space has at least (ours). */
    guardiansMin: 2,
  },

  risk: {
    /** Floor of the risk where one voter decides every second vote (ours). */
    dominanceFloor: 75,
    /** Share from which a voter begins to decide alone, and over how much more of it (ours). */
    dominanceFrom: 0.4,
    dominanceSpan: 0.1,
    /** The voters whose joint share is called whale control (CR4 of industrial concentration). */
    whales: 4,
    /** Days that count as now for voters and proposals (ours: a quarter), and the share of a ballot that makes a voter active (ours). */
    activityDays: 90,
    activeShare: 1e-6,
    /** Delegation data older than this say nothing about today (ours). */
    delegationDays: 45,
    /** Daily points the trend looks at, the fewest it needs, and the change over them that it calls one (ours). */
    trendDays: 30,
    trendPointsMin: 14,
    trendChange: 2,
  },

  index: {
    /** The fewest DAOs an index has (ours). */
    daosMin: 5,
  },
} as const;
