import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DaoFacts } from "../../../pipeline/facts/dao-facts.ts";
import type { Registry } from "../../../pipeline/facts/tracked.ts";
import { openEarlierVisits } from "../../../pipeline/stages/earlier-visits.ts";
import { methodKey } from "../../../pipeline/stages/score-dao.ts";
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

/** Fetches a DAO with these proposals, from a live hub. */
function fetchProposals(ends: readonly number[]): void {
  fetchInto(
    warehouse,
    SPACE,
    (sink) => {
      for (const [index, atMs] of ends.entries()) {
        const end = { atMs, precision: "second" as const };
        sink.put({
          kind: "proposal",
          proposal: proposal(`p${index}`, { end, state: "closed", votesCount: 3 }),
        });
      }
    },
    { sourceId: "snapshot-hub", fetchedAtMs: T },
  );
}

const visitAt = (asOfMs: number, scoredUntilMs?: number): VisitedDao =>
  createDaoVisits(registry, warehouse)({ dao, asOfMs, isRendered: true, scoredUntilMs });
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

  it.each([
    { why: "too old for good", ends: [OLD], untilMs: Infinity },
    { why: "a vote is still open", ends: [OLD, T + DAY], untilMs: T + DAY },
    { why: "ends at this moment", ends: [T], untilMs: undefined },
    { why: "the frame has a member", ends: [T - DAY], untilMs: undefined },
  ])("is dormant until $untilMs: $why", async ({ ends, untilMs }) => {
    fetchProposals(ends);
    expect((await publish(T)).dormant?.untilMs).toBe(untilMs);
  });

  it("is dormant until a proposal without votes is too old, as it is listed otherwise then", async () => {
    const end = { atMs: T - DAY, precision: "second" } as const;
    fetchInto(warehouse, SPACE, (sink) => {
      sink.put({ kind: "proposal", proposal: proposal("p", { end, state: "closed", scoresTotal: 0 }) });
    });
    expect((await publish(T)).dormant?.untilMs).toBe(T + 729 * DAY);
  });

  it.each([0, 1])("visits a DAO with delegates of %i days later", async (days) => {
    fetchInto(warehouse, SPACE, (sink) => {
      const date = timestampOf(T + days * DAY).slice(0, 10);
      sink.put({ kind: "delegate-list", list: delegateList(SPACE, date) });
    });
    expect((await publish(T)).dormant).toBeUndefined();
  });

  const changes: readonly { why: string; change: () => void; of?: Registry; at?: number }[] = [
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
    { why: "the stored text is cut off", change: () => tamper("UPDATE visits SET published = '{'") },
    {
      why: "the stored text has another shape",
      change: () => tamper(`UPDATE visits SET published = '{"file": 1}'`),
    },
  ];
  it.each(changes)("visits a dormant DAO if $why", async ({ change, of, at = T }) => {
    fetchProposals([OLD]);
    await publish(T);
    expect(visitDormant(T)).toBeDefined();
    change();
    expect(openAt(at, of).recall(dao).visited).toBeUndefined();
  });

  it("ends when the vote ends, and not before", async () => {
    fetchProposals([OLD, T + DAY]);
    await publish(T);
    expect(visitDormant(T + DAY - 1)).toBeDefined();
    expect(visitDormant(T + DAY)).toBeUndefined();
  });

  it("stays stored where it saved a visit", async () => {
    fetchProposals([OLD]);
    await publish(T);
    const next = openAt(T + DAY);
    const known = next.recall(dao).visited;
    next.keep(known === undefined ? [] : [known]);
    expect(visitDormant(T + 2 * DAY)).toBeDefined();
  });

  it.each([
    { why: "the days that can no longer change", asOfMs: T, days: -7 },
    {
      why: "only the days before the last fetch, as later ones are known after the next",
      asOfMs: T + 30 * DAY,
      days: 0,
    },
  ])("knows as scored $why", async ({ asOfMs, days }) => {
    fetchProposals([T - DAY]);
    await publish(asOfMs);
    const untilMs = openAt(asOfMs).recall(dao).scoredUntilMs ?? 0;
    expect(Math.floor((untilMs + 1 - T) / DAY)).toBe(days);
  });

  it("visits a DAO whose name in the registry has changed", async () => {
    fetchProposals([OLD]);
    await publish(T);
    expect(openAt(T).recall({ ...dao, name: "Another" }).visited).toBeUndefined();
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
