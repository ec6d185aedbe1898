import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
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
import {
  DOCUMENTS,
  documentsOfDaos,
  documentsOfLists,
  type FileRow,
  identifyFile,
} from "../../../snapshots/format/documents.ts";
import { Entity, topEntitiesOf } from "../../../snapshots/format/entity.ts";
import { DelegateEnvelope, ENVELOPES, ErrorEnvelope, ListMeta } from "../../../snapshots/format/envelope.ts";
import { Evidence } from "../../../snapshots/format/evidence.ts";
import { bareGraph, hiddenNames } from "../../../snapshots/format/hidden-entities.ts";
import { FORMAT_VERSION } from "../../../snapshots/format/limits.ts";
import { RunReport } from "../../../snapshots/format/manifest.ts";
import { PATHS } from "../../../snapshots/format/paths.ts";
import { MEASURE_COLUMNS, ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import { shortAddress } from "../../../snapshots/format/text.ts";
import { publishedEvidenceOf, variedDao } from "../../pipeline/documents/evidence-world.ts";
import { withGraph } from "../../support/delegation-graph.ts";
import { FIXTURE_ENTITY_ID, publishedSet, runReport, walletOf } from "../../support/published-set.ts";

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
  ListMeta: {
    shape: ListMeta,
    value: { ...META, total: 3, unscored: 1, updated_at: set.asOf, by_space_id: {} },
  },
  DelegateEnvelope: { shape: DelegateEnvelope, value: { data: latest, meta: META } },
  ErrorEnvelope: { shape: ErrorEnvelope, value: { error: { code: "NOT_FOUND", message: "Nothing here." } } },
  DgiEnvelope: { shape: ENVELOPES.dgi, value: { data: set.dgi, meta: META } },
};

/** What an offline file says where there is nothing to say. */
const NULLABLE: Record<string, readonly string[]> = {
  DelegationGraph: ["as_of"],
  FoldedDelegation: ["delegate_rank", "votes", "votes_human", "votes_share_pct"],
  Evidence: ["unscored", "risk", "concentration", "completeness_pct", "rank"],
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
      const optional = new Set(["ens", "risk_score", "data_completeness", "title", "link", "links"]);
      for (const key of Object.keys(value)) {
        const isNullable = shape.safeParse({ ...value, [key]: null }).success;
        expect([key, isNullable]).toEqual([key, NULLABLE[name]?.includes(key) ?? false]);
        const without = Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
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
      change: { delegations: graph.delegations.map((delegation) => ({ ...delegation, ens: "x.example" })) },
    },
    {
      why: "a delegator that is called by a name",
      of: "DelegationGraph",
      change: {
        delegations: graph.delegations.map((delegation) => ({ ...delegation, display_name: "x.example" })),
      },
    },
    {
      why: "a delegator that is called by another address",
      of: "DelegationGraph",
      change: {
        delegations: graph.delegations.map((delegation, index) => ({
          ...delegation,
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

const spaceId = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,99}$/);

describe("identifyFile", () => {
  it.each([
    { path: "daos.json", want: { kind: "daos", id: "", month: "" } },
    { path: "daos/a.eth.json", want: { kind: "dao", id: "a.eth", month: "" } },
    { path: "daos/json.json", want: { kind: "dao", id: "json", month: "" } },
    { path: "delegates/a/latest.json", want: { kind: "latestListing", id: "a", month: "" } },
    { path: "delegates/a/2026-03.ndjson", want: { kind: "delegateMonth", id: "a", month: "2026-03" } },
    { path: "delegates/a/2026-03-31.json", want: undefined },
    { path: "graph/a.eth.json", want: { kind: "graph", id: "a.eth", month: "" } },
    { path: "run.json", want: { kind: "run", id: "", month: "" } },
    { path: "datapackage.json", want: { kind: "dataPackage", id: "", month: "" } },
    { path: "delegates/a/all.csv", want: { kind: "wholeListing", id: "a", month: "" } },
    { path: "proposals/a.eth.ndjson", want: { kind: "proposals", id: "a.eth", month: "" } },
    { path: "delegates/a/some.csv", want: undefined },
    { path: "delegates/a/latest.json.json", want: undefined },
    { path: "delegates/a/b/latest.json", want: undefined },
    { path: "daos/a/b.json", want: undefined },
    { path: "x/daos.json", want: undefined },
    { path: "index.sqlite", want: undefined },
    { path: "", want: undefined },
  ])("$path", ({ path, want }) => {
    expect(identifyFile(path)).toEqual(want);
  });

  it("is the way back from every path that is made of an id", () => {
    fc.assert(
      fc.property(spaceId, (id) => {
        expect(identifyFile(PATHS.dao(id))).toEqual({ kind: "dao", id, month: "" });
        expect(identifyFile(PATHS.risk(id))).toEqual({ kind: "risk", id, month: "" });
        expect(identifyFile(PATHS.graph(id))).toEqual({ kind: "graph", id, month: "" });
        expect(identifyFile(PATHS.history(id))).toEqual({ kind: "history", id, month: "" });
        expect(identifyFile(PATHS.latestListing(id))).toEqual({ kind: "latestListing", id, month: "" });
        const month = "2024-02";
        expect(identifyFile(PATHS.delegateMonth(id, month))).toEqual({ kind: "delegateMonth", id, month });
      }),
    );
  });
});

/** The keys below a JSON schema, each with its path and whether it must be there. */
function keysBelow(schema: unknown, path: string): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  if (Array.isArray(schema)) return schema.flatMap((item) => keysBelow(item, path));
  const { properties = {}, required = [], ...rest } = schema as Record<string, unknown>;
  const must = new Set(required as readonly string[]);
  return [
    ...Object.entries(properties as object).flatMap(([key, value]) => [
      `${path}.${key}${must.has(key) ? "" : "?"}`,
      ...keysBelow(value, `${path}.${key}`),
    ]),
    ...Object.values(rest).flatMap((item) => keysBelow(item, path)),
  ];
}

it("no key of a published file changes within a format, and no kind becomes indexed", () => {
  const keys = Object.entries<FileRow>(DOCUMENTS).flatMap(([kind, { shape, indexed }]) => [
    `${kind} indexed: ${indexed ?? "not"}`,
    ...keysBelow(z.toJSONSchema(shape, { unrepresentable: "any" }), kind),
  ]);
  expect(keys.length).toBeGreaterThan(300);
  const digest = createHash("sha256")
    .update([...new Set(keys)].sort().join("\n"))
    .digest("hex")
    .slice(0, 16);
  expect(
    { format: FORMAT_VERSION, keys: digest },
    "Raise FORMAT_VERSION with a changed key or a newly indexed kind, then write the new digest here: otherwise intact versions that are already published are called damaged.",
  ).toEqual({ format: 3, keys: "b3f3f88070c34222" });
});

const documents = [...documentsOfLists(set), ...documentsOfDaos(set)];

const redacted = (kind: keyof typeof DOCUMENTS, value: unknown, wallets: readonly string[]) =>
  (DOCUMENTS[kind] as FileRow).redact?.(value, {
    hidden: hiddenNames([{ entityId: "nobody", label: "Nobody Here", wallets }]),
    topEntities: topEntitiesOf(set.entities),
    entitiesCount: set.entities.length,
  });

describe("a document without somebody who is hidden", () => {
  it.each(["dao", "latestListing", "delegateMonth", "graph", "entity"] as const)(
    "is the very same where it does not name them: %s",
    (kind) => {
      const ofKind = documents.filter((document) => document.kind === kind);
      expect(ofKind).not.toEqual([]);
      for (const { value } of ofKind) expect(redacted(kind, value, [])).toBe(value);
    },
  );

  it("is another where one day of a month names them", () => {
    const month = documents.find(({ kind }) => kind === "delegateMonth")?.value;
    const shown = redacted("delegateMonth", month, [walletOf(1)]);
    expect(shown).not.toBe(month);
    expect(JSON.stringify(month)).toContain("delegate-1.example");
    expect(JSON.stringify(shown)).not.toContain("delegate-1.example");
  });
});

it.each([
  { why: "voted", change: {}, isNamed: true },
  { why: "only holds delegated power", change: { proposals_voted: 0 }, isNamed: false },
  { why: "has power that is not known", change: { voting_power_share_pct: null }, isNamed: false },
  { why: "has votes that are not known", change: { participation_pct: null }, isNamed: false },
])("an entity that $why is one of the strongest: $isNamed", ({ change, isNamed }) => {
  const entities = set.entities.map((entity) => ({
    ...entity,
    dao_participations: entity.dao_participations.map((row) => ({ ...row, ...change })),
  }));
  expect(topEntitiesOf(entities).size > 0).toBe(isNamed);
});

describe("bare graph", () => {
  const graph = withGraph(publishedSet()).graphs[0]!;
  const hiding = (wallets: readonly string[], label = "Nobody's Label") =>
    hiddenNames([{ entityId: FIXTURE_ENTITY_ID, label, wallets }]);

  describe("bareGraph", () => {
    it.each([
      { why: "its wallet is a delegate's", hidden: hiding([walletOf(1)]) },
      {
        why: "its wallet is a delegate's, in capitals",
        hidden: hiding([walletOf(1).toUpperCase().replace("X", "x")]),
      },
      { why: "a delegate bears its name", hidden: hiding([], "delegate-1.example") },
    ])("takes the name and nothing else where $why", ({ hidden }) => {
      const [first, ...others] = graph.delegates;
      const { ens, ...bare } = first!;
      expect(ens).toBe("delegate-1.example");
      expect(bareGraph(graph, hidden)).toEqual({
        ...graph,
        delegates: [{ ...bare, display_name: shortAddress(walletOf(1)) }, ...others],
      });
    });

    it.each([
      { why: "a delegate without a name", hidden: hiding([walletOf(2)]) },
      { why: "a delegator, who has none", hidden: hiding([walletOf(10_001)]) },
      { why: "nobody", hidden: hiding([]) },
    ])("is the very same where the hidden wallet is that of $why", ({ hidden }) => {
      expect(bareGraph(graph, hidden)).toBe(graph);
    });
  });
});
