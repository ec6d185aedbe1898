/**
 * Every constant that is a judgement, defined once. Raise `version` with every changed constant or formula. A constant
 * without an outside source is marked (ours). `govdata methodology` prints this table.
 */
export const METHODOLOGY = {
  version: "3.0.0",

  frame: {
    /** Days over which the weight of a proposal fades to 0, linearly (ours: two years). */
    horizonDays: 730,
    /** A unit's scale is the power-weighted median of so many largest proposals; small ones cannot lower it (ours). */
    scaleProposals: 50,
    /** Part of the scale below which a proposal gets no attention (ours). */
    attentionFloor: 0.25,
    /** Eligible proposals from which confidence is `high` (the API's contract). */
    highConfidenceProposals: 20,
  },

  continuity: {
    /** Σω of the ballots of each side that are compared: the last before a unit's first ballot, and its first (ours). */
    attention: 10,
    /** Σω of earlier ballots from which a unit begins to be judged; with one more it is judged fully (ours). */
    attentionFrom: 1,
    /** Part of the usual overlap up to which a unit has no weight, and that with which it has its full weight (ours). */
    partFrom: 0.1,
    partFull: 0.25,
    /** Overlap below which nothing is usual. */
    usualMin: 1e-6,
  },

  interval: {
    /** Unseen proposals with any mark (Walley's imprecise Dirichlet model, s = 2). */
    unseenProposals: 2,
    /** Days after its end until a proposal stops counting as presence, the last of them fading (ours). */
    presenceDays: 180,
    presenceFadeDays: 60,
    /** The most present proposals of which presence is the mean (ours). */
    presenceProposals: 2,
    /** Days without a complete fetch after which a DAO may have been fully present (ours). */
    staleDays: 7,
    /** Known share below which a DAO is unscored, because more than half of the scale is open (ours). */
    knownShareMin: 0.5,
  },

  components: {
    /** Weights of the geometric mean of 1 + points (ours). */
    weights: { hpr: 0.3, dei: 0.3, pdi: 0.2, gpi: 0.2 },
    /** Part by which each weight is changed, one at a time, to test the ranks (as the OECD/JRC handbook recommends). */
    weightChange: 0.25,
  },

  participation: {
    /** Larger shares of a ballot's power count as this share (ours). */
    capShare: 0.01,
    /** Effective participants that earn 0 and that earn full marks, on a logarithmic scale (ours). */
    breadthFrom: 3,
    breadthFull: 100,
    /** Σω of the earlier proposals with which a proposal's voters are compared (ours). */
    loyaltyAttention: 10,
    /** Loyalty that earns full marks (ours). */
    fullMarksLoyalty: 0.5,
  },

  decentralization: {
    /** Equal voters that earn full marks, on a logarithmic scale (ours). */
    fullMarksVoters: 50,
    /** Relative margin over one half, so that rounding does not decide between equal voters. */
    majorityMargin: 1e-9,
  },

  alikeness: {
    /** The number of largest voters of which smaller ones may be parts (ours). */
    receivers: 100,
    /** Added to the denominator of alikeness, because five equal votes prove nothing (ours). */
    doubt: 5,
    /** Alikeness at which merging begins, and the span to full merging (ours; .9–1.1 % of unlabelled pairs reach it). */
    from: 0.5,
    span: 0.2,
    /** Difference up to which two voters count as equally large, or as equally alike to a third. */
    equalWithin: 1e-9,
  },

  deliberation: {
    /** A vote of one day earns 0, of seven days full marks (ours). */
    periodFromDays: 1,
    periodSpanDays: 6,
    /** Days between creation and start that earn full marks (ours). */
    fullMarksDelayDays: 2,
    /** The option of a basic vote that is against nobody (Snapshot: for, against, abstain). */
    abstentionOption: 3,
    /** Share against the winner that earns full marks (ours). */
    fullMarksDissent: 0.25,
    /** Capped power with a reason that earns full marks (ours). */
    fullMarksRationale: 0.1,
    /** Seconds within which two votes of a wallet form a batch (ours). */
    batchSeconds: 60,
  },

  process: {
    /** Part of the usual power below which a quorum earns less (ours). */
    meaningfulQuorumShare: 0.01,
    /** Days after a proposal's end that count as active, and the days examined (ours). */
    cadenceReachDays: 30,
    cadenceWindowDays: 180,
    /** Chance of different authors that earns full marks (ours). */
    fullMarksProposers: 0.9,
    /** The fewest admins or moderators of a guarded space (ours). */
    guardiansMin: 2,
  },

  risk: {
    /** Floor of the risk if one voter decides every second vote (ours). */
    dominanceFloor: 75,
    /** Share at which a voter begins to decide alone, and the span to doing so fully (ours). */
    dominanceFrom: 0.4,
    dominanceSpan: 0.1,
    /** Number of voters whose joint share is whale control (CR4 of industrial concentration). */
    whales: 4,
    /** Days that count as recent for voters and proposals, and the share of a ballot that makes a voter active (ours). */
    activityDays: 90,
    activeShare: 1e-6,
    /** Age in days at which delegation data are too old to use (ours). */
    delegationDays: 45,
    /** Days examined for the trend, the fewest daily points it needs, and the change that makes a trend (ours). */
    trendDays: 30,
    trendPointsMin: 14,
    trendChange: 2,
  },

  index: {
    /** The fewest DAOs for an index (ours). */
    daosMin: 5,
  },
} as const;
