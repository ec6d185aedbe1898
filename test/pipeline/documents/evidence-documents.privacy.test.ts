import { expect, test } from "vitest";
import type { DaoFacts } from "../../../pipeline/facts/dao-facts.ts";
import type { TrackedEntity } from "../../../pipeline/facts/tracked.ts";
import { checkPrivacy } from "../../../pipeline/gate/check-privacy.ts";
import { createDaoMeasurer } from "../../../pipeline/score/measure-dao.ts";
import { scoreMeasures } from "../../../pipeline/score/score-measures.ts";
import type { PublishedSet } from "../../../snapshots/format/published-set.ts";
import { documentsOf } from "../gate/valid-set.ts";
import { DAY, sampleDao, sampleProposal, sampleProposalVotes, T } from "../score/sample-facts.ts";
import { buildPublishedSet } from "./published-set.ts";
import { entityIdOf, walletOf } from "./scored-daos.ts";

const [one, other, third, fourth] = [walletOf(1), walletOf(2), walletOf(3), walletOf(4)];
/** By the two wallets of the one who opted out: the first and the third proposal, and the second. */
const AUTHORS = [one, other, one, third, fourth, third, fourth, third, fourth];
/** So much is usually cast, as on the last two: each of the others weighs what no other does. */
const USUAL = 10_000;
const UNUSUAL = 7;

const HIDDEN: TrackedEntity = {
  entityId: entityIdOf("hidden"),
  label: "Hidden Harbor",
  wallets: [one, other],
  isOptedOut: true,
};

function facts(): DaoFacts {
  const proposals = AUTHORS.map((author, index) =>
    sampleProposal(`m${index}`, {
      endDaysAgo: 40 - 3 * index,
      author,
      title: `Pay ${author.toUpperCase().replace("0X", "0x")}, ${author.slice(2)} (${HIDDEN.entityId}) and ${author.slice(0, 39)}`,
      scoresTotal: index < UNUSUAL ? 2600 + 37.3 * index : USUAL,
    }),
  );
  return sampleDao({
    proposals,
    held: proposals.map(({ proposalId, start }) =>
      sampleProposalVotes(
        proposalId,
        Array.from({ length: 8 }, (_, voter) => ({
          voter,
          power: 100 - 7 * voter,
          atMs: (start?.atMs ?? 0) + voter * 3_600_000,
        })),
      ),
    ),
  });
}

/** Everything that is published, where the registry knows the two wallets as one, or does not know them. */
function published(entities: readonly TrackedEntity[]): PublishedSet {
  const dao = facts();
  const entityOf = new Map(
    entities.flatMap(({ entityId, wallets }) => wallets.map((each) => [each, entityId])),
  );
  const measurer = createDaoMeasurer(dao, (wallet) => entityOf.get(wallet));
  const evidence = measurer.evidenceAt(T);
  return buildPublishedSet({
    asOfMs: T,
    daos: [
      {
        dao: dao.dao,
        current: scoreMeasures(evidence.measures),
        evidence,
        entities: measurer.entitiesAt(T).voters,
        otherEntities: measurer.entitiesAt(T).others,
        gvsDayBefore: scoreMeasures(measurer.measureAt(T - DAY)).gvs.point,
        points: [],
        trend: "stable",
        latestDelegates: undefined,
        datedDelegates: [],
      },
    ],
    registry: { daos: [dao.dao], entities },
    index: undefined,
    indexHistory: [],
  });
}

/** Every leaf by its path. */
function leavesOf(value: unknown, path = ""): readonly (readonly [path: string, leaf: unknown])[] {
  if (typeof value !== "object" || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, `${path}/${key}`));
}

const merged = published([HIDDEN]);
const strangers = published([]);

test("an entity that opted out and proposes from two wallets moves aggregates of the DAO, and nothing else", () => {
  const before = new Map(leavesOf(strangers));
  const moved = leavesOf(merged).flatMap(([path, leaf]) => (before.get(path) === leaf ? [] : [path]));
  expect(leavesOf(merged)).toHaveLength(before.size);
  expect(moved, "it is counted as one").toContain("/evidence/0/evidence/measures/authors/of_authors");
  const aggregates = [
    /^\/evidence\/0\/evidence\/measures\/authors\/of_authors$/,
    /^\/evidence\/0\/evidence\/measures_sha256$/,
    /^\/evidence\/0\/evidence\/components\/gpi\/(low|point|high|indicators\/2\/(low|high|points))$/,
    /^\/evidence\/0\/evidence\/(gvs\/(low|point|high)|known_share|index_weight)$/,
    /^\/evidence\/0\/evidence\/risk\/(low|point|high|base)$/,
    /^\/daos\/0\/(gvs|components\/gpi|delta_24h)$/,
    /^\/details\/0\/(gvs|components\/gpi\/(score|label))$/,
    /^\/risks\/0\/(risk_score|risk_level)$/,
  ];
  expect(moved.filter((path) => !aggregates.some((aggregate) => aggregate.test(path)))).toEqual([]);
});

test("no line tells proposers apart", () => {
  expect(merged.evidence[0]?.proposals).toEqual(strangers.evidence[0]?.proposals);
});

test("nobody finds in it what the proposals of one proposer weigh together", () => {
  const lines = merged.evidence[0]?.proposals ?? [];
  const attention = lines.map((line) => line.attention ?? 0);
  expect(new Set(attention).size, "ω must tell proposals apart, or nothing is tested").toBe(UNUSUAL + 1);
  const all = attention.reduce((sum, each) => sum + each, 0);
  const groups = [[one], [other], [third], [fourth], [one, other]].map((wallets) =>
    attention.reduce((sum, each, index) => (wallets.includes(AUTHORS[index] ?? "") ? sum + each : sum), 0),
  );
  const given = leavesOf({ ...merged, evidence: merged.evidence.map(({ evidence }) => evidence) });
  const telling = given.filter(
    ([, leaf]) =>
      typeof leaf === "number" &&
      groups.some((sum) => [sum, sum / all].some((key) => Math.abs(leaf - key) < 1e-9)),
  );
  expect(telling).toEqual([]);
});

test("names neither it nor its wallets, though every title does", () => {
  expect(merged.evidence[0]?.proposals[0]?.title).toBe("Pay […], […] ([…]) and […]");
  expect(checkPrivacy(documentsOf(merged), [HIDDEN])).toEqual([]);
  const text = JSON.stringify(merged).toLowerCase();
  for (const word of [HIDDEN.entityId, HIDDEN.label.toLowerCase(), ...AUTHORS])
    expect(text).not.toContain(word);
});
