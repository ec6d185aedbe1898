import { describe, expect, it } from "vitest";
import type { z } from "zod";
import {
  DaoDetail,
  DaoHistory,
  DaoSummary,
  Dgi,
  DgiHistory,
  RiskAssessment,
  TopEntity,
  UnscoredDao,
} from "../../../snapshots/format/dao.ts";
import {
  DelegateItem,
  DelegateListing,
  DelegationGraph,
  FoldedDelegation,
} from "../../../snapshots/format/delegates.ts";
import { Entity } from "../../../snapshots/format/entity.ts";
import { DelegateEnvelope, ENVELOPES, ErrorEnvelope, ListMeta } from "../../../snapshots/format/envelope.ts";
import { Evidence } from "../../../snapshots/format/evidence.ts";
import { RunReport } from "../../../snapshots/format/manifest.ts";
import { MEASURE_COLUMNS, ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import { publishedEvidenceOf, variedDao } from "../../pipeline/documents/evidence-world.ts";
import { withGraph } from "../../support/delegation-graph.ts";
import { publishedSet, runReport } from "../../support/published-set.ts";

const set = withGraph(publishedSet());
const graph = set.graphs[0]!;
const latest = set.listings[0]!.latest;
const { evidence, proposals } = publishedEvidenceOf([variedDao("varied.eth")])[0]!;
const line = proposals.find(({ place }) => place === "MEMBER")!;
const META = { methodology_version: "1.0.0", as_of: set.asOf };

const INDICATOR = evidence.components.dei.indicators[0]!;

/** Every shape with a document that has it. */
const GOOD: Record<string, { shape: z.ZodType; value: object }> = {
  DaoSummary: { shape: DaoSummary, value: set.daos[0]! },
  DaoDetail: { shape: DaoDetail, value: set.details[0]! },
  TopEntity: { shape: TopEntity, value: set.details[0]!.top_entities[0]! },
  DelegateItem: { shape: DelegateItem, value: latest.delegates[0]! },
  DelegateListing: { shape: DelegateListing, value: latest },
  DelegationGraph: { shape: DelegationGraph, value: graph },
  FoldedDelegation: { shape: FoldedDelegation, value: graph.folded_delegations[0]! },
  Dgi: { shape: Dgi, value: set.dgi! },
  DgiHistory: { shape: DgiHistory, value: set.dgiHistory! },
  Entity: { shape: Entity, value: set.entities[0]! },
  DaoHistory: { shape: DaoHistory, value: set.histories[0]! },
  Evidence: { shape: Evidence, value: evidence },
  ProposalLine: { shape: ProposalLine, value: line },
  RiskAssessment: { shape: RiskAssessment, value: set.risks[0]! },
  UnscoredDao: { shape: UnscoredDao, value: set.unscored[0]! },
  RunReport: { shape: RunReport, value: runReport(set, 1_775_000_000_000) },
  ListMeta: { shape: ListMeta, value: { ...META, total: 3, updated_at: set.asOf, by_space_id: {} } },
  DelegateEnvelope: { shape: DelegateEnvelope, value: { data: latest, meta: META } },
  ErrorEnvelope: { shape: ErrorEnvelope, value: { error: { code: "NOT_FOUND", message: "Nothing here." } } },
  DgiEnvelope: { shape: ENVELOPES.dgi, value: { data: set.dgi, meta: META } },
};

/** What an offline file says where there is nothing to say. */
const NULLABLE: Record<string, readonly string[]> = {
  DelegationGraph: ["as_of"],
  FoldedDelegation: ["delegate_rank", "votes", "votes_human", "votes_share_pct"],
  Evidence: ["unscored", "risk", "completeness_pct", "rank"],
  RunReport: ["names"],
  ProposalLine: ["created_at", "start_at", "end_at", "state", "scores_state", ...MEASURE_COLUMNS],
};

describe("published shapes", () => {
  it.each(Object.keys(GOOD))("%s takes a document, and no field beside its own", (name) => {
    const { shape, value } = GOOD[name]!;
    expect(shape.parse(value)).toEqual(value);
    expect(shape.safeParse({ ...value, extra: 1 }).success).toBe(false);
    expect(shape.safeParse({}).success).toBe(false);
    expect(shape.safeParse(null).success).toBe(false);
  });

  it.each(Object.keys(GOOD))(
    "%s can do without no required field, and takes null where it may be unknown and nowhere else",
    (name) => {
      const { shape, value } = GOOD[name]!;
      const optional = new Set([
        "ens",
        "risk_score",
        "data_completeness",
        "title",
        "link",
        "links",
        "by_space_id",
      ]);
      for (const key of Object.keys(value)) {
        const isNullable = shape.safeParse({ ...value, [key]: null }).success;
        expect([key, isNullable]).toEqual([key, NULLABLE[name]?.includes(key) ?? false]);
        const without = Object.fromEntries(Object.entries(value).filter(([each]) => each !== key));
        if (!optional.has(key)) expect([key, shape.safeParse(without).success]).toEqual([key, false]);
      }
    },
  );

  it.each([
    { why: "a gvs above 10", of: "DaoSummary", change: { gvs: 10.5 } },
    { why: "an unknown category", of: "DaoSummary", change: { category: "games" } },
    { why: "rank 0", of: "DaoSummary", change: { rank: 0 } },
    {
      why: "31 days of history",
      of: "DaoDetail",
      change: { history: { gvs_30d: Array(31).fill(5), interval: "daily" } },
    },
    { why: "an hourly history", of: "DaoDetail", change: { history: { gvs_30d: [], interval: "hourly" } } },
    {
      why: "eleven top entities",
      of: "DaoDetail",
      change: { top_entities: Array(11).fill(set.details[0]!.top_entities[0]) },
    },
    { why: "an address with capitals", of: "DelegateItem", change: { address: `0x${"A".repeat(40)}` } },
    { why: "negative votes", of: "DelegateItem", change: { votes_human: -1 } },
    { why: "an empty ens name", of: "DelegateItem", change: { ens: "" } },
    {
      why: "more rows than four cuts",
      of: "DelegateListing",
      change: { delegates: Array(401).fill(latest.delegates[0]) },
    },
    { why: "votes as a number", of: "FoldedDelegation", change: { votes: 5 } },
    { why: "votes with a leading zero", of: "FoldedDelegation", change: { votes: "05" } },
    { why: "less than no votes", of: "FoldedDelegation", change: { votes: "-5" } },
    {
      why: "more votes than a word of the chain holds",
      of: "FoldedDelegation",
      change: { votes: `1${"0".repeat(78)}` },
    },
    { why: "a fold of nobody", of: "FoldedDelegation", change: { delegators_count: 0 } },
    {
      why: "a delegator with a name",
      of: "DelegationGraph",
      change: { delegations: graph.delegations.map((each) => ({ ...each, ens: "x.example" })) },
    },
    {
      why: "a delegator that is called by a name",
      of: "DelegationGraph",
      change: { delegations: graph.delegations.map((each) => ({ ...each, display_name: "x.example" })) },
    },
    {
      why: "a delegator that is called by another address",
      of: "DelegationGraph",
      change: {
        delegations: graph.delegations.map((each, index) => ({
          ...each,
          display_name: graph.delegations[index === 0 ? 1 : 0]!.display_name,
        })),
      },
    },
    {
      why: "more delegators than it names",
      of: "DelegationGraph",
      change: { delegations: Array(101).fill(graph.delegations[0]) },
    },
    { why: "a DGI of no DAO", of: "Dgi", change: { dao_count: 0 } },
    { why: "a period that does not exist", of: "DgiHistory", change: { period: "7d" } },
    { why: "an entity without a wallet", of: "Entity", change: { wallets: [] } },
    { why: "a flag that is not published", of: "Entity", change: { publicApiOptOut: false } },
    { why: "an unscored DAO without a reason", of: "UnscoredDao", change: { reasons: [] } },
    { why: "a risk above 100", of: "RiskAssessment", change: { risk_score: 100.1 } },
    { why: "a trend in other words", of: "RiskAssessment", change: { trend: "up" } },
    { why: "evidence of another kind of hash", of: "Evidence", change: { lines_sha256: "abc" } },
    {
      why: "a rank without its range",
      of: "Evidence",
      change: { rank: { rank: 1, weights: [] } },
    },
    {
      why: "an indicator with more than its mark",
      of: "Evidence",
      change: {
        components: {
          ...evidence.components,
          dei: { ...evidence.components.dei, indicators: [{ ...INDICATOR, role: "bonus" }] },
        },
      },
    },
    {
      why: "evidence that numbers proposers",
      of: "Evidence",
      change: { measures: { ...evidence.measures, proposers: [1, 2] } },
    },
    { why: "a line that numbers its proposer", of: "ProposalLine", change: { proposer: 1 } },
    { why: "a line of no place", of: "ProposalLine", change: { place: "LOST" } },
    { why: "attention above 1", of: "ProposalLine", change: { attention: 1.01 } },
    { why: "less than no power", of: "ProposalLine", change: { power: -1 } },
    { why: "half a vote", of: "ProposalLine", change: { votes: 0.5 } },
    { why: "an id that breaks a line", of: "ProposalLine", change: { id: "a\nb" } },
    { why: "an empty message", of: "ErrorEnvelope", change: { error: { code: "NOT_FOUND", message: "" } } },
  ])("refuses $why", ({ of, change }) => {
    const { shape, value } = GOOD[of]!;
    expect(shape.safeParse({ ...value, ...change }).success).toBe(false);
  });
});
