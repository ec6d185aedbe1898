import { describe, expect, it } from "vitest";
import { checkEvidence, checkProposalLines } from "../../../../snapshots/format/agreement/check-evidence.ts";
import type { DocumentSet } from "../../../../snapshots/format/agreement/disagreement.ts";
import type { DaoHistory, HistoryPoint } from "../../../../snapshots/format/dao.ts";
import type { Evidence } from "../../../../snapshots/format/evidence.ts";
import { linesDigest } from "../../../../snapshots/format/evidence-digest.ts";
import { RISK_DECIMALS, roundTo, SCORE_DECIMALS, timestampOf } from "../../../../snapshots/format/ids.ts";
import type { PublishedEvidence } from "../../../../snapshots/format/published-set.ts";
import { FREEZE_POINT, publishedEvidenceOf, variedDao } from "../../../pipeline/documents/evidence-world.ts";
import { T } from "../../../pipeline/score/sample-facts.ts";
import { publishedSet } from "../../../support/published-set.ts";

const [made] = publishedEvidenceOf([variedDao("varied.eth")]);
if (made === undefined) throw new Error("one DAO makes one evidence");
const published: PublishedEvidence = made;
const { evidence, proposals } = published;

const rounded = (outcome: Evidence["gvs"]): number =>
  "points" in outcome ? roundTo(outcome.points, SCORE_DECIMALS) : -1;

function buildHistory(change: Partial<HistoryPoint> = {}): DaoHistory {
  const { date, methodologyVersion, gvs, components, attentionSum } = FREEZE_POINT;
  const point = { date, methodology_version: methodologyVersion, gvs, components, data_completeness: 97.51 };
  return { space_id: "varied.eth", points: [{ ...point, attention_sum: attentionSum, ...change }] };
}

/** A set whose one DAO is the one of the evidence. */
function setOf(found: readonly Evidence[] = [evidence]): DocumentSet {
  const set = publishedSet(T);
  const [summary] = set.daos;
  const [risk] = set.risks;
  if (summary === undefined || risk === undefined) throw new Error("the fixture has a DAO and its risk");
  const { hpr, dei, pdi, gpi } = evidence.components;
  const components = {
    hpr: rounded(hpr.after),
    dei: rounded(dei.after),
    pdi: rounded(pdi.after),
    gpi: rounded(gpi.after),
  };
  const score = "score" in evidence.risk ? roundTo(evidence.risk.score, RISK_DECIMALS) : -1;
  const { gvs_confidence } = evidence;
  return {
    ...set,
    methodologyVersion: evidence.methodology_version,
    daos: [{ ...summary, space_id: "varied.eth", gvs: rounded(evidence.gvs), gvs_confidence, components }],
    risks: [{ ...risk, space_id: "varied.eth", risk_score: score }],
    unscored: [],
    histories: [buildHistory()],
    evidence: found.map((each) => ({ evidence: each })),
  };
}

const messages = (set: DocumentSet): string[] => checkEvidence(set).map(({ message }) => message);

describe("checkEvidence", () => {
  it.each([
    { why: "agrees", set: setOf() },
    { why: "a version without any", set: setOf([]) },
  ])("lets pass what $why", ({ set }) => {
    expect(messages(set)).toEqual([]);
  });

  const { after } = evidence.components.dei;
  it.each<{ why: string; found: Evidence[]; says: string }>([
    {
      why: "of a DAO that is not tracked",
      found: [{ ...evidence, space_id: "other.eth" }],
      says: "every tracked DAO",
    },
    { why: "twice", found: [evidence, evidence], says: "every tracked DAO" },
    {
      why: "of another moment",
      found: [{ ...evidence, as_of: timestampOf(T - 1) }],
      says: "as_of is not that of the version",
    },
    {
      why: "of another method",
      found: [{ ...evidence, methodology_version: "9.9.9" }],
      says: "methodology_version is not that of the version",
    },
    {
      why: "of another gvs",
      found: [{ ...evidence, gvs: { points: 9.87 } }],
      says: "gvs is not that of daos.json",
    },
    {
      why: "of no gvs",
      found: [{ ...evidence, gvs: { gap: "NO_VOTERS" } }],
      says: "gvs is not that of daos.json",
    },
    {
      why: "of another component",
      found: [
        {
          ...evidence,
          components: {
            ...evidence.components,
            dei: {
              ...evidence.components.dei,
              after: { points: "points" in after ? after.points + 0.1 : 1 },
            },
          },
        },
      ],
      says: "components.dei is not that of daos.json",
    },
    {
      why: "of another confidence",
      found: [{ ...evidence, gvs_confidence: evidence.gvs_confidence === "high" ? "low" : "high" }],
      says: "gvs_confidence is not that of daos.json",
    },
    {
      why: "of no risk",
      found: [{ ...evidence, risk: { gap: "NO_VOTERS" } }],
      says: "risk is not that of the risk document",
    },
  ])("refuses evidence $why", ({ found, says }) => {
    expect(messages(setOf(found)).join("\n")).toContain(says);
  });
});

describe("what made a DAO a member of the index", () => {
  const says = `evidence/varied.eth.json: index_freeze is not the point of 2025-03-31 in history/varied.eth.json`;
  const without = { ...evidence, measures: { ...evidence.measures, index_freeze: null } };
  it.each<{ why: string; found: Evidence; histories: DaoHistory[]; problems: string[] }>([
    {
      why: "another Σω, by a hair",
      found: evidence,
      histories: [buildHistory({ attention_sum: FREEZE_POINT.attentionSum + 1e-12 })],
      problems: [says],
    },
    {
      why: "another completeness",
      found: evidence,
      histories: [buildHistory({ data_completeness: 97.52 })],
      problems: [says],
    },
    {
      why: "of another day",
      found: evidence,
      histories: [buildHistory({ date: "2025-04-01" })],
      problems: [says],
    },
    { why: "no history", found: evidence, histories: [], problems: [says] },
    {
      why: "a history, and not in the evidence",
      found: without,
      histories: [buildHistory()],
      problems: [says],
    },
    { why: "gap: in neither", found: without, histories: [], problems: [] },
  ])("$why", ({ found, histories, problems }) => {
    expect(messages({ ...setOf([found]), histories })).toEqual(problems);
  });
});

describe("checkProposalLines", () => {
  const said = (change: Partial<PublishedEvidence>): string =>
    checkProposalLines({ ...published, ...change })
      .map(({ message }) => message)
      .join("\n");

  it("lets pass lines that are those of the evidence", () => {
    expect(said({})).toBe("");
  });

  it.each<{ why: string; change: Partial<PublishedEvidence>; says: string }>([
    { why: "one is missing", change: { proposals: proposals.slice(1) }, says: "as many lines as are known" },
    {
      why: "one is there twice",
      change: { proposals: [...proposals, ...proposals.slice(-1)] },
      says: "a proposal twice",
    },
    { why: "in another order", change: { proposals: proposals.toReversed() }, says: "order of ends and ids" },
    {
      why: "a number is changed",
      change: { proposals: proposals.map((line) => ({ ...line, heads: line.heads === null ? null : 1 })) },
      says: "is not the file that the evidence was made of",
    },
    {
      why: "a number is gone, and the hash is made anew",
      change: {
        proposals: proposals.map((line) => ({ ...line, heads: null })),
        evidence: {
          ...evidence,
          lines_sha256: linesDigest(proposals.map((line) => ({ ...line, heads: null }))),
        },
      },
      says: "heads is not known as often as the totals say",
    },
    {
      why: "a measure of the whole is changed",
      change: { evidence: { ...evidence, measures: { ...evidence.measures, clusters: 5 } } },
      says: "measures are not those that the evidence was made of",
    },
  ])("refuses lines where $why", ({ change, says }) => {
    expect(said(change)).toContain(says);
  });
});
