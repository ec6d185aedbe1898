import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import type { DaoFacts } from "../../../pipeline/facts/dao-facts.ts";
import type { SpaceSink } from "../../../pipeline/facts/governance-source.ts";
import type { Proposal } from "../../../pipeline/facts/proposal.ts";
import type { Registry, TrackedDao } from "../../../pipeline/facts/tracked.ts";
import { openEarlierVisits } from "../../../pipeline/stages/earlier-visits.ts";
import { createDaoScoring, methodKey } from "../../../pipeline/stages/score-dao.ts";
import { createDaoVisits, type VisitedDao } from "../../../pipeline/stages/visit-dao.ts";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { openSqlite } from "../../../snapshots/base/sqlite.ts";
import { timestampOf } from "../../../snapshots/format/ids.ts";
import { noIndexRows, renderIndex } from "../../../snapshots/store/write/build-index.ts";
import { publishVersion } from "../../../snapshots/store/write/publish-version.ts";
import { createSnapshotDisk } from "../../../snapshots/store/write/snapshot-disk.ts";
import { buildRandomDao, randomDaoSpec, SHRINK_LIMITS } from "../../support/random-dao.ts";
import { DAY, T } from "../score/sample-facts.ts";
import { address, delegateList, fetchInto, proposal } from "../warehouse/sample-facts.ts";
import { createWarehouseHome, type WarehouseHome } from "../warehouse/warehouse-home.ts";

const SPACE = "sample.eth";
const dao = { spaceId: SPACE, name: "Sample", category: "defi", governor: undefined } as const;
const registry: Registry = {
  daos: [dao],
  entities: [
    { entityId: "ent_01hzy7v0000000000000000000", label: "One", wallets: [address(0)], isOptedOut: false },
  ],
};
const VOTERS = 50;
const same = (scored: ScoredDao): ScoredDao => scored;

let home: WarehouseHome;
let warehouse: Warehouse;
let root: string;
beforeEach(() => {
  home = createWarehouseHome();
  warehouse = home.open();
  root = join(home.directory, "published");
});
afterEach(() => home.remove());

/** Fetches facts whose voters are numbered from 0. */
function fetchFacts({ space, proposals, ballots }: DaoFacts, sourceId: string, fetchedAtMs: number): void {
  fetchInto(
    warehouse,
    SPACE,
    (sink) => {
      const ids = Array.from({ length: VOTERS }, (_, voter) => sink.internVoter(address(voter)));
      if (space !== undefined) sink.put({ kind: "space", space });
      for (const one of proposals) sink.put({ kind: "proposal", proposal: one });
      for (const votes of ballots.values()) {
        const voterIds = votes.voterIds.map((voter) => ids[voter] ?? 0);
        sink.put({ kind: "votes", votes: { ...votes, voterIds }, isFinal: true });
      }
    },
    { sourceId, fetchedAtMs },
  );
}

/** Puts a proposal for each of these ends. */
const endingAt =
  (ends: readonly number[], change: Partial<Proposal> = {}) =>
  (sink: SpaceSink): void => {
    for (const [index, atMs] of ends.entries()) {
      const end = { atMs, precision: "second" as const };
      const closed = proposal(`p${index}`, { end, state: "closed", votesCount: 3, ...change });
      sink.put({ kind: "proposal", proposal: closed });
    }
  };

/** Fetches a DAO with proposals that end then, from a live hub. */
const fetchProposals = (ends: readonly number[]): void =>
  void fetchInto(warehouse, SPACE, endingAt(ends), { sourceId: "snapshot-hub", fetchedAtMs: T });

const visitAt = (asOfMs: number, scoredUntilMs?: number, change: (scored: ScoredDao) => ScoredDao = same) => {
  const score = createDaoScoring(registry, warehouse);
  const visit = createDaoVisits(registry, (...given) => {
    const one = score(...given);
    return { ...one, scored: change(one.scored) };
  });
  return visit({ dao, asOfMs, isRendered: true, scoredUntilMs });
};
const openAt = (asOfMs: number, of = registry) => openEarlierVisits(warehouse, of, root, asOfMs);
const visitDormant = (asOfMs: number) => openAt(asOfMs).recall(dao).visited;

/** Publishes the files of a visit and keeps whether it was dormant, as a run does. */
async function publish(asOfMs: number): Promise<VisitedDao> {
  const dormant = openAt(asOfMs);
  dormant.recall(dao);
  const visited = visitAt(asOfMs);
  const about = { methodology_version: "1.0.0", as_of: timestampOf(asOfMs), sources: [], redacted: false };
  // Other files would have to be in the index.
  const files = [
    ...(visited.dormant && visited.rendered ? visited.rendered.files : []),
    renderIndex(noIndexRows()),
  ];
  const publication = { runId: "00000000000000ab", createdAtMs: asOfMs };
  const draft = () => ({ about: { ...about, replaces: null }, files });
  await publishVersion(publication, draft, createSnapshotDisk(root));
  warehouse.dailyPoints.keep(methodKey(), [[SPACE, visited.finalPoints]]);
  dormant.keep([visited]);
  return visited;
}

/** Out of every frame of the last year. */
const OLD = T - 1_100 * DAY;

describe("openEarlierVisits", () => {
  it("finds out about random DAOs, without their facts, what a visit would", async () => {
    let dormantCount = 0;
    const world = fc.record({
      spec: randomDaoSpec,
      source: fc.constantFrom("archive", "snapshot-hub"),
      isHibernated: fc.boolean(),
      // Proposals end up to 760 days before T; a year without a score has to follow.
      firstDays: fc.oneof(
        { weight: 3, arbitrary: fc.integer({ min: 1_095, max: 1_300 }) },
        { weight: 1, arbitrary: fc.integer({ min: -10, max: 1_095 }) },
      ),
      laterDays: fc.array(fc.integer({ min: -3, max: 500 }), { minLength: 1, maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(world, async ({ spec, source, isHibernated, firstDays, laterDays }) => {
        home.remove();
        home = createWarehouseHome();
        warehouse = home.open();
        root = join(home.directory, "published");
        const firstMs = T + firstDays * DAY;
        const facts = buildRandomDao(spec);
        const space = facts.space && { ...facts.space, isHibernated };
        fetchFacts({ ...facts, space }, source, firstMs);
        const { dormant } = await publish(firstMs);
        for (const days of laterDays) {
          const laterMs = firstMs + days * DAY;
          // The hub was asked again and had nothing new.
          const settled = { sourceId: source, fetchedAtMs: Math.max(firstMs, laterMs - 1) };
          warehouse.settleSpaces(new Set([SPACE]), settled);
          const isCovered = dormant !== undefined && days >= 0 && laterMs < dormant.untilMs;
          const { visited, scoredUntilMs } = openAt(laterMs).recall(dao);
          expect(visited !== undefined).toBe(isCovered);
          expect(scoredUntilMs !== undefined).toBe(days >= 0 && !isCovered);
          const full = visitAt(laterMs);
          if (scoredUntilMs !== undefined) expect(visitAt(laterMs, scoredUntilMs)).toEqual(full);
          if (visited === undefined) continue;
          dormantCount += 1;
          expect(visited).toEqual({ ...full, dormant: undefined });
        }
      }),
      { numRuns: 24, ...SHRINK_LIMITS },
    );
    expect(dormantCount).toBeGreaterThan(5);
  });

  it("covers a DAO that was never fetched until it is", async () => {
    expect((await publish(T)).dormant?.untilMs).toBe(Infinity);
    expect(visitDormant(T + DAY)).toEqual({ ...visitAt(T + DAY), dormant: undefined });
    fetchProposals([]);
    expect(visitDormant(T + DAY)).toBeUndefined();
  });

  const listOn = (days: number) => (sink: SpaceSink) => {
    const date = timestampOf(T + days * DAY).slice(0, 10);
    sink.put({ kind: "delegate-list", list: delegateList(SPACE, date) });
  };
  it.each([
    { why: "its proposals are too old for good", put: endingAt([OLD]), untilMs: Infinity },
    { why: "a vote is still open", put: endingAt([OLD, T + DAY]), untilMs: T + DAY },
    { why: "a vote ends at this moment", put: endingAt([T]) },
    { why: "the frame has a member", put: endingAt([T - DAY]) },
    {
      why: "a proposal without votes will be too old, and then listed otherwise",
      put: endingAt([T - DAY], { votesCount: undefined, scoresTotal: 0 }),
      untilMs: T + 729 * DAY,
    },
    {
      why: "such a proposal ends at this moment",
      put: endingAt([T], { votesCount: undefined, scoresTotal: 0 }),
      untilMs: T + 730 * DAY,
    },
    { why: "it has delegates", put: listOn(0) },
    { why: "it has delegates of the next day", put: listOn(1) },
  ])("is dormant until $untilMs: $why", async ({ put, untilMs }) => {
    fetchInto(warehouse, SPACE, put, { sourceId: "snapshot-hub", fetchedAtMs: T });
    expect((await publish(T)).dormant?.untilMs).toBe(untilMs);
  });

  it("is not dormant if its lines do not give what is published, as a gate may let that pass once", () => {
    fetchProposals([OLD]);
    const lying = ({ evidence, ...scored }: ScoredDao): ScoredDao => {
      const proposals = evidence.proposals.map((one) => ({ ...one, unit: one.unit + 1 }));
      return { ...scored, evidence: { ...evidence, proposals } };
    };
    expect(visitAt(T).dormant?.untilMs).toBe(Infinity);
    expect(visitAt(T, undefined, lying)).toMatchObject({ dormant: undefined, rendered: expect.anything() });
  });

  it("is not dormant as long as it has a history, which loses a day each night", () => {
    fetchProposals([OLD]);
    const point = { date: timestampOf(T - 30 * DAY).slice(0, 10), methodologyVersion: "1.0.0", gvs: 1 };
    const components = { hpr: 1, dei: 1, pdi: 1, gpi: 1 };
    const more = { components, riskScore: undefined, completenessPct: 90, indexWeight: 0 };
    warehouse.dailyPoints.keep(methodKey(), [[SPACE, [{ ...point, ...more }]]]);
    expect(visitAt(T)).toMatchObject({ dormant: undefined, rendered: expect.anything() });
  });

  const changes: readonly {
    why: string;
    change: () => void;
    of?: Registry;
    at?: number;
    tracked?: TrackedDao;
  }[] = [
    { why: "it was fetched again", change: () => fetchProposals([OLD]) },
    { why: "its file was damaged", change: () => writeFileSync(fileOf(), "{}\n") },
    { why: "its file was lost", change: () => rmSync(fileOf()) },
    {
      why: "past days are scored again",
      change: () => warehouse.dailyPoints.forget(SPACE, "2020-01-01", "2020-01-02"),
    },
    { why: "nothing is published any more", change: () => rmSync(root, { recursive: true }) },
    { why: "the moment is earlier", change: () => {}, at: T - 1 },
    { why: "an entity was hidden", change: () => {}, of: hiding() },
    { why: "its name in the registry has changed", change: () => {}, tracked: { ...dao, name: "Another" } },
    { why: "the stored text is cut off", change: () => tamper("UPDATE visits SET published = '{'") },
    {
      why: "the stored text has another shape",
      change: () => tamper(`UPDATE visits SET published = '{"file": 1}'`),
    },
  ];
  it.each(changes)("visits a dormant DAO if $why", async ({ change, of, at = T, tracked = dao }) => {
    fetchProposals([OLD]);
    await publish(T);
    expect(visitDormant(T)).toBeDefined();
    change();
    expect(openAt(at, of).recall(tracked).visited).toBeUndefined();
  });

  it("ends when the vote ends, and not before; a visit that it saved changes nothing", async () => {
    fetchProposals([OLD, T + DAY]);
    await publish(T);
    const next = openAt(T + 1);
    const known = next.recall(dao).visited;
    next.keep(known === undefined ? [] : [known]);
    expect(visitDormant(T + DAY - 1)).toBeDefined();
    expect(visitDormant(T + DAY)).toBeUndefined();
  });

  it.each([
    { why: "the days that can no longer change", asOfMs: T, days: -7 },
    {
      why: "only the days before the last fetch, as later ones are known after the next",
      asOfMs: T + 30 * DAY,
      days: 0,
    },
    { why: "all of an archive, which does not age", asOfMs: T + 30 * DAY, days: 23, sourceId: "archive" },
  ])("knows as scored $why", async ({ asOfMs, days, sourceId = "snapshot-hub" }) => {
    fetchInto(warehouse, SPACE, endingAt([T - DAY]), { sourceId, fetchedAtMs: T });
    await publish(asOfMs);
    const untilMs = openAt(asOfMs).recall(dao).scoredUntilMs ?? 0;
    expect(Math.floor((untilMs + 1 - T) / DAY)).toBe(days);
  });

  it("keeps no key of facts that were fetched while it was visited", async () => {
    fetchProposals([OLD]);
    await publish(T);
    const dormant = openAt(T);
    dormant.recall({ ...dao, name: "Another" });
    const visited = visitAt(T);
    fetchProposals([OLD, T - DAY]);
    dormant.keep([visited]);
    expect(openAt(T).recall({ ...dao, name: "Another" }).visited).toBeUndefined();
  });
});

function fileOf(): string {
  const { version } = JSON.parse(readFileSync(join(root, "current.json"), "utf8")) as { version: string };
  return join(root, version, `proposals/${SPACE}.ndjson`);
}

function hiding(): Registry {
  return { ...registry, entities: registry.entities.map((entity) => ({ ...entity, isOptedOut: true })) };
}

function tamper(sql: string): void {
  const database = openSqlite(home.path);
  database.exec(sql);
  database.close();
}
