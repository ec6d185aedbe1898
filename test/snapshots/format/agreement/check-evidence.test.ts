import { describe, expect, it } from "vitest";
import { digestOf } from "../../../../snapshots/format/agreement/check-documents.ts";
import {
  checkEmptyFrame,
  checkEvidence,
  checkExplained,
  checkProposalLines,
} from "../../../../snapshots/format/agreement/check-evidence.ts";
import type { UnscoredDao } from "../../../../snapshots/format/dao.ts";
import { intervalsOf } from "../../../../snapshots/format/envelope.ts";
import type { Evidence } from "../../../../snapshots/format/evidence.ts";
import { linesDigest } from "../../../../snapshots/format/evidence-digest.ts";
import { RISK_DECIMALS, roundTo, SCORE_DECIMALS, timestampOf } from "../../../../snapshots/format/ids.ts";
import type { PublishedEvidence, PublishedSet } from "../../../../snapshots/format/published-set.ts";
import { labelledPoints, labelOf } from "../../../../snapshots/format/value-sets.ts";
import { publishedEvidenceOf, variedDao } from "../../../pipeline/documents/evidence-world.ts";
import { T } from "../../../pipeline/score/sample-facts.ts";
import { partsOf } from "../../../support/parts-of.ts";
import { publishedSet } from "../../../support/published-set.ts";

const [made] = publishedEvidenceOf([variedDao("varied.eth")]);
if (made === undefined) throw new Error("one DAO makes one evidence");
const published: PublishedEvidence = made;
const { evidence, proposals } = published;

const rounded = ({ point }: Evidence["gvs"]): number => roundTo(point, SCORE_DECIMALS);

/** A set whose one DAO is the one of the evidence. */
function setOf(evidences: readonly Evidence[] = [evidence]): PublishedSet {
  const set = publishedSet(T);
  const [summary] = set.daos;
  const [detail] = set.details;
  const [risk] = set.risks;
  if (!(summary && detail && risk && evidence.risk)) throw new Error("the fixture has a DAO and its risk");
  const { hpr, dei, pdi, gpi } = evidence.components;
  const components = { hpr: rounded(hpr), dei: rounded(dei), pdi: rounded(pdi), gpi: rounded(gpi) };
  const labelled = (component: Evidence["gvs"]) => ({
    score: rounded(component),
    label: labelOf(roundTo(labelledPoints(component), SCORE_DECIMALS)),
  });
  const { gvs_confidence } = evidence;
  const common = { space_id: "varied.eth", gvs: rounded(evidence.gvs), gvs_confidence };
  return {
    ...set,
    methodologyVersion: evidence.methodology_version,
    daos: [{ ...summary, ...common, components }],
    details: [
      {
        ...detail,
        ...common,
        components: { hpr: labelled(hpr), dei: labelled(dei), pdi: labelled(pdi), gpi: labelled(gpi) },
      },
    ],
    risks: [{ ...risk, space_id: "varied.eth", risk_score: roundTo(evidence.risk.point, RISK_DECIMALS) }],
    unscored: [],
    evidence: evidences.map((document) => ({ evidence: document, proposals })),
  };
}

/** A set whose one DAO has no score. */
function unscoredSet(change: Partial<UnscoredDao> = {}): PublishedSet {
  const [dao] = publishedSet(T).unscored;
  if (dao === undefined) throw new Error("the fixture has an unscored DAO");
  const unscoredEvidence: Evidence = { ...evidence, unscored: "TOO_LITTLE_KNOWN" };
  return {
    ...setOf([unscoredEvidence]),
    daos: [],
    details: [],
    risks: [],
    unscored: [{ ...dao, space_id: "varied.eth", interval: intervalsOf(unscoredEvidence), ...change }],
  };
}

/** What is found in the evidence of each DAO, and in which DAOs have some. */
function messages(set: PublishedSet): string[] {
  const parts = partsOf(set);
  const explained = parts.map(digestOf).flatMap((part) => (part.hasEvidence ? [part.spaceId] : []));
  return [...parts.flatMap(checkEvidence), ...checkExplained(set, explained)].map(({ message }) => message);
}

describe("checkEvidence", () => {
  it.each([
    { why: "agrees", set: setOf() },
    { why: "a version without any", set: setOf([]) },
    { why: "of an unscored DAO", set: unscoredSet() },
  ])("lets pass what $why", ({ set }) => {
    expect(messages(set)).toEqual([]);
  });

  const { dei } = evidence.components;
  it.each<{ why: string; found: Evidence[]; says: string }>([
    {
      why: "of a DAO that is not tracked",
      found: [{ ...evidence, space_id: "other.eth" }],
      says: "every DAO with a proposal",
    },
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
      found: [{ ...evidence, gvs: { ...evidence.gvs, point: 9.87 } }],
      says: "gvs is not that of daos.json",
    },
    {
      why: "of no score",
      found: [{ ...evidence, unscored: "TOO_LITTLE_KNOWN" }],
      says: "unscored is not that of unscored.json",
    },
    {
      why: "of another component",
      found: [
        {
          ...evidence,
          components: {
            ...evidence.components,
            dei: { ...dei, point: dei.point + 0.1 },
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
      why: "of another label",
      found: [
        {
          ...evidence,
          components: { ...evidence.components, gpi: { ...evidence.components.gpi, low: 9, high: 9.5 } },
        },
      ],
      says: "the interval of components.gpi does not have the label of daos/varied.eth.json",
    },
    {
      why: "of an empty frame",
      found: [{ ...evidence, frame: { ...evidence.frame, members: 0 } }],
      says: "is of a DAO whose frame is empty",
    },
    {
      why: "of no risk",
      found: [{ ...evidence, risk: null }],
      says: "risk is not that of the risk document",
    },
  ])("refuses evidence $why", ({ found, says }) => {
    expect(messages(setOf(found)).join("\n")).toContain(says);
  });
});

describe("checkExplained", () => {
  const set = setOf();
  it.each<{ why: string; explained: string[]; isWhole: boolean }>([
    { why: "of every tracked DAO", explained: ["varied.eth"], isWhole: true },
    { why: "of none, as before there was any", explained: [], isWhole: true },
    { why: "of one that is not tracked", explained: ["other.eth"], isWhole: false },
    { why: "of one DAO too many", explained: ["other.eth", "varied.eth"], isWhole: false },
    { why: "of one DAO twice", explained: ["varied.eth", "varied.eth"], isWhole: false },
  ])("evidence $why", ({ explained, isWhole }) => {
    const messages = checkExplained(set, explained).map(({ message }) => message);
    expect(messages).toEqual(
      isWhole ? [] : ["evidence: does not cover every DAO with a proposal in its frame exactly once"],
    );
  });
});

describe("a DAO without evidence", () => {
  const line = proposals.find(({ place }) => place === "MEMBER");
  if (line === undefined) throw new Error("the fixture has proposals");
  const outside = { ...line, place: "TOO_OLD" as const };

  it("is one whose frame is empty, as its line tells", () => {
    const { unscored } = unscoredSet();
    const { measures, measures_sha256 } = evidence;
    const empty_frame = { measures, measures_sha256 };
    const told = { ...setOf([]), daos: [], unscored: unscored.map((dao) => ({ ...dao, empty_frame })) };
    expect(checkExplained(told, ["other.eth"])).toHaveLength(1);
    const other = { ...unscored[0]!, space_id: "other.eth" };
    expect(checkExplained({ ...told, unscored: [other, ...told.unscored] }, ["other.eth"])).toEqual([]);
  });

  it.each([
    { why: "a proposal in the frame", proposals: [line], says: "in the frame, but there is no evidence" },
    { why: "a proposal twice", proposals: [outside, outside], says: "contains a proposal twice" },
  ])("has not $why", ({ proposals: lines, says }) => {
    expect(checkEmptyFrame({ spaceId: "a.eth", proposals: [outside] })).toEqual([]);
    const problems = checkEmptyFrame({ spaceId: "a.eth", proposals: lines });
    expect(problems.map(({ message }) => message).join()).toContain(says);
  });
});

describe("evidence of an unscored DAO", () => {
  it.each<{ why: string; change: Partial<UnscoredDao>; says: string }>([
    {
      why: "another reason",
      change: { reason: { code: "NO_PROPOSALS", message: "." } },
      says: "unscored is not that of unscored.json",
    },
    {
      why: "another interval",
      change: { interval: { ...intervalsOf(evidence), gvs: [0, 1] } },
      says: "the interval is not that of unscored.json",
    },
  ])("$why", ({ change, says }) => {
    expect(messages(unscoredSet(change)).join("\n")).toContain(says);
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
    {
      why: "one is missing",
      change: { proposals: proposals.slice(1) },
      says: "as many lines as there are known",
    },
    {
      why: "one is there twice",
      change: { proposals: [...proposals, ...proposals.slice(-1)] },
      says: "a proposal twice",
    },
    { why: "in another order", change: { proposals: proposals.toReversed() }, says: "sorted by end and ID" },
    {
      why: "a number is changed",
      change: { proposals: proposals.map((line) => ({ ...line, gini: line.gini === null ? null : 1 })) },
      says: "is not the file that the evidence was made from",
    },
    {
      why: "a number is gone, and the hash is made anew",
      change: {
        proposals: proposals.map((line) => ({ ...line, gini: null })),
        evidence: {
          ...evidence,
          lines_sha256: linesDigest(proposals.map((line) => ({ ...line, gini: null }))),
        },
      },
      says: "gini does not have as many known values as in totals",
    },
    {
      why: "a measure of the whole is changed",
      change: { evidence: { ...evidence, measures: { ...evidence.measures, active_voters: 5 } } },
      says: "measures are not those that the evidence was made from",
    },
  ])("refuses lines where $why", ({ change, says }) => {
    expect(said(change)).toContain(says);
  });
});
