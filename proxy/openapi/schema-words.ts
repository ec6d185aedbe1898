import type { ShapeName } from "./answer-shapes.ts";
import { SCALAR_WORDS, type SchemaWords } from "./scalar-words.ts";

const ENVELOPE = { data: "What was asked for.", meta: "Which method, and as of when." };
const SPACE = "The DAO's id.";
const NAME = "Display name.";
const CATEGORY = "What the DAO is for.";
const GVS = "Governance Vitality Score.";
const CONFIDENCE = "`high` with at least 20 proposals, else `low`.";
const CALCULATED = "When it was last calculated.";
const FOUR = {
  hpr: "Human Participation Rate.",
  dei: "Decentralization Index.",
  pdi: "Proposal Deliberation Index.",
  gpi: "Governance Process Index.",
};

const BETWEEN = {
  gvs: "Low and high end of the Governance Vitality Score.",
  hpr: "Of the Human Participation Rate.",
  dei: "Of the Decentralization Index.",
  pdi: "Of the Proposal Deliberation Index.",
  gpi: "Of the Governance Process Index.",
};
const CERTAINTY = {
  interval: "Between which ends the scores lie.",
  known_share: "How much of the score is known.",
  rank_range: "Best and worst rank that the intervals of all DAOs allow.",
  presence: "Whether the DAO votes at all, now; it multiplies all components. Low and high end.",
  not_known: "Indicators of which nothing is known.",
};

const READINESS = {
  status: "`degraded`: the last good version is served, and something is wrong with what came after it.",
  reason: "A stable code for what is wrong.",
  refused_version: "The version that the reason is about, where that is not the one served.",
  version: "The version being served.",
  sequence: "Its number; every published version has a higher one.",
  as_of: "The moment its data stands for.",
  published_at: "When it was published.",
  entities: "Present while nobody knows who opted out: no entity is served meanwhile.",
  signatures: "Present while versions of another machine are served without asking who signed them.",
};

/** The words of every schema in the document; a shape without words does not compile, a property without fails a test. */
export const SCHEMA_WORDS: Readonly<Record<ShapeName, SchemaWords>> = {
  DaoListAnswer: { description: "The list of DAOs.", properties: ENVELOPE },
  DaoDetailAnswer: { description: "One DAO in detail.", properties: ENVELOPE },
  RiskAnswer: { description: "The risk assessment of one DAO.", properties: ENVELOPE },
  DelegateListingAnswer: { description: "The delegates of one DAO.", properties: ENVELOPE },
  DgiAnswer: { description: "The Decentralized Governance Index.", properties: ENVELOPE },
  DgiHistoryAnswer: { description: "The index day by day.", properties: ENVELOPE },
  EntityAnswer: { description: "One entity.", properties: ENVELOPE },
  Liveness: { description: "The process is alive.", properties: { status: "Always `alive`." } },
  Ready: { description: "Data is served.", properties: READINESS },
  Unready: {
    description: "No data is served, data that is too old, or nobody can be let in.",
    properties: READINESS,
  },
  Meta: {
    description: "`meta` of every 200.",
    properties: {
      methodology_version: "Version of the method that made the numbers.",
      as_of: "The moment the data stands for; of a dated listing, the end of its day.",
    },
  },
  ScoreMeta: {
    description: "`meta` of DAO detail and risk: how far the scores are known, where the version says so.",
    properties: {
      methodology_version: "Version of the method that made the numbers.",
      as_of: "The moment the data stands for.",
      ...CERTAINTY,
    },
  },
  ScoreIntervals: {
    description: "Between which ends the scores of one DAO lie.",
    properties: { ...BETWEEN, risk: "Of the risk score; absent without voting power on any ballot." },
  },
  ListedCertainty: { description: "How far the scores of one listed DAO are known.", properties: CERTAINTY },
  ListedIntervals: {
    description: "Between which ends the scores of one listed DAO lie.",
    properties: BETWEEN,
  },
  ListMeta: {
    description: "`meta` of the list of DAOs.",
    properties: {
      by_space_id: "How far the scores of each listed DAO are known.",
      methodology_version: "Version of the method that made the numbers.",
      as_of: "The moment the data stands for.",
      total: "Items in `data`, after the filter.",
      updated_at: "When the list was last calculated.",
    },
  },
  DaoSummary: {
    description: "One DAO of the list.",
    properties: {
      space_id: SPACE,
      name: NAME,
      category: CATEGORY,
      gvs: GVS,
      gvs_confidence: CONFIDENCE,
      rank: "Overall rank by score.",
      components: "The four component scores.",
      delta_24h: "Change of the score over the last 24 hours.",
      last_calculated: CALCULATED,
    },
  },
  DaoDetail: {
    description: "One DAO in detail.",
    properties: {
      space_id: SPACE,
      name: NAME,
      category: CATEGORY,
      gvs: GVS,
      gvs_confidence: CONFIDENCE,
      last_calculated: CALCULATED,
      data_completeness: "How much of the data that scoring needs was there.",
      components: "The four component scores, each with its word.",
      rankings: "Where it stands.",
      history: "How its score went.",
      top_entities: "The strongest labelled entities by share of voting power; may be empty.",
    },
  },
  DaoRankings: {
    description: "Where a DAO stands.",
    properties: { overall: "Among all ranked DAOs.", category: "Among those of its category." },
  },
  OverallRanking: {
    description: "The place among all ranked DAOs.",
    properties: { rank: "Place, from 1.", total: "Ranked DAOs." },
  },
  CategoryRanking: {
    description: "The place within a category.",
    properties: { rank: "Place, from 1.", category: "The category.", total: "Ranked DAOs of this category." },
  },
  DaoScoreHistory: {
    description: "Daily scores, ascending; days without enough data are absent.",
    properties: {
      gvs_30d: "Scores of the last 30 days that have ended.",
      interval: "Spacing of the scores.",
    },
  },
  TopEntity: {
    description: "A labelled entity among the strongest of one DAO.",
    properties: {
      entity_id: "The entity's id.",
      label: "The entity's name.",
      voting_power_share_pct: "Its share of the voting power that was cast.",
      proposals_voted: "Proposals it voted on.",
      participation_pct: "Share of the proposals it voted on.",
    },
  },
  Components: { description: "The four component scores.", properties: FOUR },
  LabelledComponents: { description: "The four component scores, each with its word.", properties: FOUR },
  LabelledScore: {
    description: "A score with its word.",
    properties: { score: "The score.", label: "The word for it." },
  },
  RiskAssessment: {
    description: "The governance risk of one DAO, derived from its scores.",
    properties: {
      space_id: SPACE,
      risk_score: "Lower is better.",
      risk_level: "The score in a word.",
      factors: "What it is made of.",
      trend: "Where the daily risk scores of the last 30 days are heading.",
      assessed_at: "When it was assessed.",
    },
  },
  RiskFactors: {
    description: "What a risk assessment looks at.",
    properties: {
      governance_capture_risk: "How easily few could decide alone.",
      whale_control_pct: "Share of the voting power held by the top wallets.",
      active_voter_count: "Wallets that voted.",
      delegate_centralization:
        "How concentrated delegated power is; `unknown` without recent delegation data.",
      proposal_velocity: "How often proposals are made.",
      checkpoint_voting_pct: "Share of voting in batches, many proposals at one moment.",
    },
  },
  DelegateListing: {
    description: "Delegates of one DAO at one moment.",
    properties: {
      dao: SPACE,
      fetched_at: "When the delegations were fetched.",
      total_delegates: "All delegates of this DAO, listed or not.",
      delegates: "The listed ones, by rank.",
      summary: "Totals over all delegates, listed or not.",
    },
  },
  DelegateItem: {
    description: "One delegate.",
    properties: {
      rank: "Overall rank by voting power, also under a tier.",
      address: "The delegate's wallet.",
      ens: "Its name, where it has one.",
      display_name: "Its name, or the shortened address.",
      votes_human: "Voting power in whole tokens.",
      votes_share_pct: "Share of all delegated voting power.",
      delegators_count: "Wallets that delegate to it.",
      weight_tier: "`T1` the heaviest, `T3` the lightest.",
    },
  },
  DelegateSummary: {
    description: "Power and delegators by weight tier, over all delegates.",
    properties: {
      t1_voting_power_pct: "Share of the voting power of T1.",
      t2_voting_power_pct: "Share of the voting power of T2.",
      t3_voting_power_pct: "Share of the voting power of T3.",
      t1_avg_delegators: "Delegators of a T1 delegate on average.",
      t2_avg_delegators: "Delegators of a T2 delegate on average.",
    },
  },
  Dgi: {
    description: "The Decentralized Governance Index as of the run.",
    properties: {
      composite: "The index.",
      components: "Its four components.",
      dao_count: "DAOs in the index.",
      calculated_at: CALCULATED,
    },
  },
  DgiHistory: {
    description: "The index day by day.",
    properties: { period: "The period asked for.", values: "One point a day, ascending." },
  },
  DgiPoint: {
    description: "The index as of the end of one day.",
    properties: { date: "The day (UTC).", composite: "The index.", components: "Its four components." },
  },
  Entity: {
    description: "A labelled entity. One that opted out is never returned.",
    properties: {
      entity_id: "Its id.",
      label: "Its name.",
      wallets: "Its wallets.",
      dao_participations: "The DAOs it takes part in.",
    },
  },
  DaoParticipation: {
    description: "One DAO that an entity takes part in.",
    properties: {
      space_id: SPACE,
      name: NAME,
      proposals_voted: "Proposals it voted on.",
      participation_pct: "Share of the proposals it voted on.",
      voting_power_share_pct: "Its share of the voting power; `null` where no power of this DAO is known.",
      first_vote_at: "Its first vote; `null` where it only holds delegated power.",
      last_vote_at: "Its last vote; `null` where it only holds delegated power.",
      delegate_rank: "Its rank among the delegates; `null` where it is none.",
    },
  },
  ...SCALAR_WORDS,
};
