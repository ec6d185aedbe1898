import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DaoFacts } from "../../../pipeline/facts/dao-facts.ts";
import { recomputeLists } from "../../../pipeline/recompute/recompute.ts";
import { METHODOLOGY } from "../../../pipeline/score/method/methodology.ts";
import type { WholeMeasures } from "../../../snapshots/format/evidence.ts";
import { Evidence } from "../../../snapshots/format/evidence.ts";
import { linesDigest, measuresDigest } from "../../../snapshots/format/evidence-digest.ts";
import { PROPOSAL_PLACES, ProposalLine } from "../../../snapshots/format/proposal-line.ts";
import type { PublishedEvidence, VersionLists } from "../../../snapshots/format/published-set.ts";
import { buildRandomDao, randomDaoSpec, SHRINK_LIMITS } from "../../support/random-dao.ts";
import { publishedEvidenceOf, variedDao } from "../documents/evidence-world.ts";
import { sampleProposal, sampleProposalVotes } from "../score/sample-facts.ts";
import { leafAt, leavesOf, recomputeEvidence, withLeaf } from "./recompute-evidence.ts";

/** The next double above a number: the smallest change there is. */
function nextDouble(value: number): number {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  bits.setBigInt64(0, bits.getBigInt64(0) + 1n);
  return bits.getFloat64(0);
}

/** What a leaf could be changed to: by a bit, to another word, to nothing. */
function otherLeaves(leaf: unknown): unknown[] {
  if (typeof leaf === "number") return [nextDouble(leaf), leaf + 1, null];
  if (typeof leaf === "boolean") return [!leaf, null];
  if (leaf === null) return [0, false];
  if (typeof leaf !== "string") throw new Error("no such leaf");
  if (leaf === "closed") return ["cancelled", null];
  return [leaf === "MEMBER" ? "IGNORED" : `${leaf.slice(0, -1)}${leaf.endsWith("1") ? "2" : "1"}`, null];
}

/** Refused by its shape, or differing from what follows from it. */
function isReported(published: PublishedEvidence): boolean {
  const evidence = Evidence.safeParse(published.evidence);
  const lines = ProposalLine.array().safeParse(published.proposals);
  if (!evidence.success || !lines.success) return true;
  return recomputeEvidence([{ evidence: evidence.data, proposals: lines.data }]).length > 0;
}

/** A DAO with proposals of every place: one is under new strategies, and nobody votes on it who voted before. */
function everyPlace(): DaoFacts {
  const facts = variedDao("varied.eth");
  const added = sampleProposal("others", { endDaysAgo: 20, strategiesKey: "[new]" });
  const votes = Array.from({ length: 9 }, (_, index) => ({ voter: 1000 + index }));
  const at = facts.proposals.findIndex(({ end }) => (end?.atMs ?? 0) > (added.end?.atMs ?? 0));
  return {
    ...facts,
    proposals: facts.proposals.toSpliced(at, 0, added),
    ballots: new Map([...facts.ballots, ["others", sampleProposalVotes("others", votes)]]),
  };
}

const varied = publishedEvidenceOf([everyPlace()]);
const [first] = varied;
if (first === undefined) throw new Error("one DAO makes one evidence");
const whole: PublishedEvidence = first;

describe("what is published follows from what is published", () => {
  test("of a DAO with proposals of every place, which is scored", () => {
    expect(whole.evidence.unscored).toBeNull();
    expect(new Set(whole.proposals.map(({ place }) => place))).toEqual(new Set(PROPOSAL_PLACES));
    expect(recomputeEvidence(varied)).toEqual([]);
  });

  test("of any DAOs that have a frame, through JSON", () => {
    let scored = 0;
    fc.assert(
      fc.property(fc.array(randomDaoSpec, { minLength: 1, maxLength: 3 }), (specs) => {
        const daos = specs.map((spec, index) => {
          const facts = buildRandomDao(spec);
          return { ...facts, dao: { ...facts.dao, spaceId: `dao-${index}` } };
        });
        const all = publishedEvidenceOf(daos);
        for (const { evidence, proposals } of all) {
          expect(Evidence.safeParse(evidence).error?.issues).toBeUndefined();
          expect(ProposalLine.array().safeParse(proposals).error?.issues).toBeUndefined();
          if (evidence.unscored === null) scored += 1;
        }
        // An empty frame has a line in the list of the unscored in place of evidence.
        expect(recomputeEvidence(all.filter(({ evidence }) => evidence.frame.members > 0))).toEqual([]);
      }),
      { numRuns: 12, ...SHRINK_LIMITS },
    );
    expect(scored, "some must be scored").toBeGreaterThan(2);
  });
});

describe("a change of one leaf is reported", () => {
  const paths = leavesOf(whole);

  test("any leaf of evidence and lines: a third of them in each run, by chance", () => {
    expect(paths.length).toBeGreaterThan(600);
    const first = Math.floor(Math.random() * 3);
    const tried = paths.filter((_, index) => index % 3 === first);
    const missed = tried.flatMap((path, index) => {
      const others = otherLeaves(leafAt(whole, path));
      // By the smallest change, and in turn by a larger one.
      return [others[0], ...(index % 8 === 0 ? others.slice(1) : [])].flatMap((leaf) =>
        isReported(withLeaf(whole, path, leaf)) ? [] : [`${path.join(".")} to ${String(leaf)}`],
      );
    });
    expect(missed, `each third leaf from ${first} on`).toEqual([]);
  });

  const copied = (id: string) => ({ ...whole.proposals.at(-3), id }) as ProposalLine;
  test.each<[why: string, lines: readonly ProposalLine[]]>([
    ["a line dropped", whole.proposals.slice(1)],
    ["a line added", [...whole.proposals, { ...whole.proposals[0], id: "another" } as ProposalLine]],
    ["two lines in each other's place", whole.proposals.toReversed()],
    ["a line like another's", whole.proposals.map(({ id }) => copied(id))],
  ])("%s", (_, lines) => {
    expect(recomputeEvidence([{ evidence: whole.evidence, proposals: [...lines] }])).not.toEqual([]);
  });
});

describe("a forger who seals his change anew is still found out", () => {
  /** Hashes and totals are of the changed lines; only what follows from them is not. */
  function sealed({ evidence, proposals }: PublishedEvidence): PublishedEvidence {
    return {
      proposals,
      evidence: {
        ...evidence,
        measures_sha256: measuresDigest(evidence),
        lines_sha256: linesDigest(proposals),
      },
    };
  }
  const changeLines = (change: (line: ProposalLine) => Partial<ProposalLine>): PublishedEvidence =>
    sealed({
      ...whole,
      proposals: whole.proposals.map((line) =>
        line.place === "MEMBER" ? { ...line, ...change(line) } : line,
      ),
    });
  const changeMeasures = (change: Partial<WholeMeasures>): PublishedEvidence =>
    sealed({
      ...whole,
      evidence: { ...whole.evidence, measures: { ...whole.evidence.measures, ...change } },
    });
  const authors = { ...whole.evidence.measures.authors, of_authors: 0.5 };
  test.each<[why: string, path: string, forged: PublishedEvidence]>([
    ["breadth", "components.hpr", changeLines(() => ({ breadth_low: 1, breadth_high: 1 }))],
    ["the attention of earlier proposals", "components.hpr", changeLines(() => ({ loyalty_attention: 9 }))],
    ["effective voters", "components.dei", changeLines(() => ({ effective_low: 1, effective_high: 1 }))],
    ["majorities", "risk.governance_capture_risk", changeLines(() => ({ majority_voters: 20 }))],
    ["top shares", "risk.", changeLines(() => ({ top_share: 0.9 }))],
    ["periods", "components.pdi", changeLines(() => ({ period_low: null, period_high: null }))],
    ["quorums", "components.gpi", changeLines(() => ({ quorum_low: 0, quorum_high: 0 }))],
    ["authors", "components.gpi", changeMeasures({ authors })],
    ["fetched power", "completeness_pct", changeLines(() => ({ fetched_share: 0.5 }))],
    ["power", "frame.", changeLines(({ end_at: end }) => ({ power: Date.parse(end ?? "") ** 4 }))],
    ["the last fetch", "components.gpi", changeMeasures({ fetched_at: null })],
    ["active voters", "risk.", changeMeasures({ active_voters: 99 })],
  ])("%s", (_, path, forged) => {
    const places = recomputeEvidence([forged]).map((each) => each.path);
    expect(places.filter((each) => each.startsWith(`evidence/varied.eth.json ${path}`))).not.toEqual([]);
  });
});

test.each([
  { why: "at the end of a day", asOf: "2026-03-31T23:59:59.999Z", paths: ["dgi-history.json 2026-03-31"] },
  { why: "and not within it", asOf: "2026-03-31T23:59:59.998Z", paths: [] },
])("the last point of the index is compared $why", ({ asOf, paths }) => {
  const lists: VersionLists = {
    asOf,
    methodologyVersion: METHODOLOGY.version,
    daos: [],
    rankings: [],
    unscored: [],
    entities: [],
    dgi: undefined,
    dgiHistory: {
      period: "365d",
      values: [{ date: "2026-03-31", composite: 5, components: { hpr: 5, dei: 5, pdi: 5, gpi: 5 } }],
    },
  };
  expect(recomputeLists(lists, [], new Map()).differences.map(({ path }) => path)).toEqual(paths);
});

test("names no authors, leads to the DAO, and says which method made it", () => {
  const text = JSON.stringify(varied);
  expect(text).not.toContain("0xauthor");
  expect(whole.evidence.links).toEqual({
    website: "https://sample.example/",
    platform: "https://vote.example/#/s:sample.eth",
  });
  const moved = {
    ...whole,
    evidence: { ...whole.evidence, links: { platform: "https://elsewhere.example/" } },
  };
  expect(recomputeEvidence([moved]).map(({ path }) => path)).toContain(
    "evidence/varied.eth.json links.platform",
  );
  expect(whole.evidence.methodology_version).toBe(METHODOLOGY.version);
});
