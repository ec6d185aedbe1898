import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Warehouse } from "../../../../pipeline/warehouse/warehouse.ts";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import type { HubRow } from "../../../support/fake-hub/hub-store.ts";
import { closedProposal, NOW_MS, sampleSpace, voteOn } from "../../../support/fake-hub/sample-space.ts";
import { dao, factsOf } from "../../warehouse/sample-facts.ts";
import { createWarehouseHome } from "../../warehouse/warehouse-home.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();
const SPACES = ["a.eth", "b.eth", "c.eth", "d.eth"] as const;
const sourceId = "snapshot-hub";
const dayMs = (day: number) => NOW_MS + day * DAY_MS;
const dayS = (day: number) => dayMs(day) / 1000;

const sourceOn = (nowMs: number, sinceMs?: number) => stage.source({ pageSize: 50, nowMs, sinceMs });
/** What the hub says of these spaces, to a warehouse. */
const readFeed = (nowMs: number, ids: readonly string[] = SPACES, warehouse = stage.warehouse()) =>
  sourceOn(nowMs).readFeed(ids, (spaceId) => warehouse.heldSpace(spaceId, sourceId));

async function fetchOne(
  warehouse: Warehouse,
  spaceId: string,
  nowMs: number,
  sinceMs?: number,
): Promise<void> {
  const fetch = warehouse.beginSpaceFetch({ spaceId, sourceId, fetchedAtMs: nowMs });
  await sourceOn(nowMs, sinceMs).fetchSpace(dao(spaceId), fetch);
  fetch.commit();
}

/** Fetches each space by itself, as without a feed. */
async function fetchSingly(warehouse: Warehouse, nowMs: number): Promise<void> {
  for (const spaceId of SPACES) await fetchOne(warehouse, spaceId, nowMs);
}

/** Asks for the changes first; returns the spaces that were then fetched. */
async function fetchChanged(warehouse: Warehouse, nowMs: number): Promise<readonly string[]> {
  const { unchanged } = await readFeed(nowMs, SPACES, warehouse);
  warehouse.settleSpaces(unchanged, { sourceId, fetchedAtMs: nowMs });
  const changed = SPACES.filter((spaceId) => !unchanged.has(spaceId));
  for (const spaceId of changed) await fetchOne(warehouse, spaceId, nowMs);
  return changed;
}

/** A proposal of `space` that is open from `day` for three days. */
function openProposal(id: string, space: string, day: number, change: HubRow = {}): HubRow {
  const end = dayS(day + 3);
  const times = { created: dayS(day), start: dayS(day), end, scores_updated: dayS(day) };
  return { ...closedProposal(id), space, ...times, state: "active", scores_state: "pending", ...change };
}

const store = () => stage.hub().store;
const change = (id: string, given: HubRow) => {
  const proposal = store().proposals.get(id);
  if (proposal !== undefined) store().putProposal({ ...proposal, ...given });
};
function cast(id: string, voters: number): void {
  const proposal = store().proposals.get(id);
  if (proposal === undefined) return;
  for (let n = 1; n <= voters; n += 1) store().castVote({ ...voteOn(proposal, n), space: proposal["space"] });
  change(id, { votes: voters, scores_total: (voters * (voters + 1)) / 2 });
}
/** Closes what has ended and counts it, as the hub does. */
function count(id: string, day: number): void {
  change(id, { state: "closed", scores_state: "final", scores_updated: dayS(day) });
}

/** Every space with a proposal that ended twenty days ago; fetched once. */
async function heldOnce(): Promise<Warehouse> {
  for (const id of SPACES) {
    store().putSpace(sampleSpace({ id, name: id }));
    store().putProposal(openProposal(`0x${id[0]}`, id, -23));
    cast(`0x${id[0]}`, 3);
    count(`0x${id[0]}`, -20);
  }
  await fetchSingly(stage.warehouse(), dayMs(0));
  stage.asked();
  return stage.warehouse();
}

describe("a night of which nothing is new", () => {
  it("takes one request for all spaces, and confirms them", async () => {
    const warehouse = await heldOnce();
    expect(await fetchChanged(warehouse, dayMs(0) + 3_600_000)).toEqual([]);
    expect(stage.hub().arrived.map(({ operation }) => operation)).toEqual(["Spaces_Proposals_Proposals"]);
    const records = warehouse.fetchRecords();
    expect(records.map(({ fetchedAtMs }) => fetchedAtMs)).toEqual(SPACES.map(() => dayMs(0) + 3_600_000));
    expect(records).toMatchObject(SPACES.map(() => ({ status: "complete", proposals: 1, votes: 3 })));
  });
});

describe("a space is fetched", () => {
  const putOpen = (id: string, day: number, given?: HubRow) =>
    store().putProposal(openProposal(id, "b.eth", day, given));
  const putSpace = (given: HubRow) => store().putSpace(sampleSpace({ id: "b.eth", name: "b.eth", ...given }));
  it.each<[why: string, act: () => void]>([
    ["a new proposal", () => putOpen("0xnew", 0.5)],
    ["an edit", () => change("0xb", { title: "other", updated: dayS(0.5) })],
    ["an edit by a clock behind ours", () => change("0xb", { title: "other", updated: dayS(-0.9) })],
    ["a flag of an open proposal", () => change("0xopen", { flagged: true })],
    ["votes on an open proposal", () => cast("0xopen", 2)],
    ["a deleted open proposal", () => void store().proposals.delete("0xopen")],
    ["the end of a vote", () => count("0xopen", 0.9)],
    ["a proposal whose time is a day behind ours", () => putOpen("0xslow", -0.9)],
    ["a flag of a vote that ended last week", () => change("0xweek", { flagged: true })],
    ["other settings", () => putSpace({ name: "B" })],
    ["its flag", () => putSpace({ flagged: true })],
    ["its deletion", () => void store().spaces.delete("b.eth")],
    ["a proposal that the hub cannot return", () => putOpen("0xbad", 0.5, { author: null })],
    ["a proposal that cannot be read", () => putOpen("0xbad", 0.5, { end: dayS(-1) })],
  ])("after %s, and no other", async (_why, act) => {
    const warehouse = await heldOnce();
    putOpen("0xopen", -1);
    putOpen("0xweek", -9);
    count("0xweek", -6);
    await fetchChanged(warehouse, dayMs(0) + 1);
    act();
    expect([...(await readFeed(dayMs(1))).unchanged]).toEqual(["a.eth", "c.eth", "d.eth"]);
  });

  it("whose scores are not final long after its vote, until they are", async () => {
    const warehouse = await heldOnce();
    store().putProposal(openProposal("0xlate", "c.eth", -15, { state: "closed" }));
    await fetchSingly(warehouse, dayMs(0));
    expect(await fetchChanged(warehouse, dayMs(0) + 1)).toEqual(["c.eth"]);
    count("0xlate", -10);
    expect(await fetchChanged(warehouse, dayMs(0) + 2)).toEqual(["c.eth"]);
    expect(await fetchChanged(warehouse, dayMs(0) + 3)).toEqual([]);
  });

  it("no longer for scores that are not final thirty days after the vote", async () => {
    const warehouse = await heldOnce();
    store().putProposal(openProposal("0xnever", "c.eth", -28, { state: "closed" }));
    await fetchSingly(warehouse, dayMs(0));
    expect(await fetchChanged(warehouse, dayMs(4))).toContain("c.eth");
    await fetchChanged(warehouse, dayMs(6));
    expect(await fetchChanged(warehouse, dayMs(6) + 1)).toEqual([]);
  });

  it("whose votes are incomplete, for thirty days after the vote", async () => {
    const warehouse = await heldOnce();
    store().castVote({
      ...voteOn(store().proposals.get("0xd") ?? {}, 2, { vp_state: "pending" }),
      space: "d.eth",
    });
    change("0xd", { scores_updated: dayS(0) });
    await fetchSingly(warehouse, dayMs(0));
    expect(await fetchChanged(warehouse, dayMs(0) + 1)).toEqual(["d.eth"]);
    expect(await fetchChanged(warehouse, dayMs(9))).toContain("d.eth");
    expect(await fetchChanged(warehouse, dayMs(11))).not.toContain("d.eth");
  });

  it("once for a deleted proposal", async () => {
    const warehouse = await heldOnce();
    store().putProposal(openProposal("0xopen", "b.eth", -1));
    await fetchChanged(warehouse, dayMs(0) + 1);
    store().proposals.delete("0xopen");
    expect(await fetchChanged(warehouse, dayMs(0) + 2)).toEqual(["b.eth"]);
    expect(await fetchChanged(warehouse, dayMs(0) + 3)).toEqual([]);
  });

  it("after a failed fetch, but not after nights in which the hub was away", async () => {
    const warehouse = await heldOnce();
    const away = { sourceId, fetchedAtMs: dayMs(0) + 1, awayMessage: "it is away" };
    warehouse.settleSpaces(new Set(["a.eth"]), away);
    warehouse.beginSpaceFetch({ spaceId: "d.eth", ...away }).fail({ code: "SOURCE_FAILED", message: "" });
    expect(warehouse.fetchRecords()).toMatchObject([
      { status: "failed", error: { code: "SOURCE_AWAY", message: "it is away" }, votes: 3 },
      { status: "complete" },
      { status: "complete" },
      { status: "failed" },
    ]);
    expect(await fetchChanged(warehouse, dayMs(0) + 2)).toEqual(["d.eth"]);
    expect(warehouse.fetchRecords().map(({ error }) => error)).toEqual(SPACES.map(() => undefined));
  });

  it("when the last fetch is too long ago, or its listing reached less far back than is asked for now", async () => {
    const warehouse = await heldOnce();
    expect((await readFeed(dayMs(46), ["a.eth"])).unchanged.size).toBe(0);
    store().putSpace(sampleSpace({ id: "e.eth" }));
    await fetchOne(warehouse, "e.eth", dayMs(0), dayMs(-30));
    expect((await readFeed(dayMs(1), ["e.eth"])).unchanged.size).toBe(0);
  });
});

describe("a deletion and a silent recount, which the feed does not show", () => {
  it.each<[why: string, act: () => void, left: object]>([
    ["deletion", () => void store().proposals.delete("0xb"), { isDeleted: true }],
    ["recount", () => change("0xb", { scores_total: 7 }), { scoresTotal: 7 }],
  ])("are found within thirty days: %s", async (_why, act, left) => {
    const warehouse = await heldOnce();
    act();
    const fetchedOn: number[] = [];
    for (let day = 1; day <= 30; day += 1) {
      if ((await fetchChanged(warehouse, dayMs(day))).length > 0) fetchedOn.push(day);
    }
    expect(fetchedOn).toHaveLength(1);
    expect(factsOf(warehouse, "b.eth").proposals).toMatchObject([left]);
  });
});

describe("a hub that is asked for all spaces", () => {
  it("is not believed if it lists proposals of other spaces", async () => {
    await heldOnce();
    store().putSpace(sampleSpace({ id: "x.eth" }));
    const foreign = { ...openProposal("0xx", "a.eth", 0), space: { id: "x.eth" } };
    const body = { data: { q0: [], q1: [foreign], q2: [] } };
    stage.hub().failWith(({ operation }) => (operation.includes("_") ? { kind: "body", body } : undefined));
    await expect(readFeed(dayMs(1))).rejects.toMatchObject({ code: "SOURCE_FAILED", isPassing: false });
  });

  it("is passing if it is away, so that all are tried again later", async () => {
    await heldOnce();
    stage.hub().failWith(() => ({ kind: "database" }));
    await expect(readFeed(dayMs(1))).rejects.toMatchObject({ code: "SOURCE_FAILED", isPassing: true });
  });

  it("has a space that it cannot return, which is then asked for by itself", async () => {
    await heldOnce();
    store().putSpace({ ...sampleSpace({ id: "b.eth" }), verified: "maybe" });
    const { spaces, unchanged } = await readFeed(dayMs(1));
    expect([...spaces.keys()].sort()).toEqual([...SPACES]);
    expect([...unchanged]).toEqual(["a.eth", "c.eth", "d.eth"]);
  });

  it("that refuses so many spaces in one query is asked in smaller steps", async () => {
    const warehouse = stage.warehouse();
    const ids = Array.from({ length: 120 }, (_, n) => `s${n}.eth`);
    for (const id of ids) {
      store().putSpace(sampleSpace({ id, name: id }));
      await fetchOne(warehouse, id, dayMs(0));
    }
    store().putProposal(openProposal("0xnew", "s7.eth", 0));
    const message = "The `space_in` argument must not be greater than 40";
    stage.hub().failWith(({ variables }) => {
      const wheres = Object.values(variables) as { readonly space_in?: readonly string[] }[];
      const isTooMany = wheres.some((where) => (where?.space_in?.length ?? 0) > 40);
      return isTooMany
        ? { kind: "status", status: 500, body: { errors: [{ message }], data: null } }
        : undefined;
    });
    const { unchanged, spaces } = await readFeed(dayMs(0) + 1, ids);
    expect(spaces.size).toBe(120);
    expect(ids.filter((id) => !unchanged.has(id))).toEqual(["s7.eth"]);
  });
});

/** What may happen to one space in a day. */
const EVENTS = ["open", "vote", "edit", "close", "settings", "flag", "delete", "recount"] as const;
const history = fc.array(
  fc.array(
    fc.record({
      event: fc.constantFrom(...EVENTS),
      space: fc.constantFrom(...SPACES),
      which: fc.nat(3),
      votes: fc.integer({ min: 1, max: 5 }),
    }),
    { maxLength: 4 },
  ),
  { minLength: 2, maxLength: 6 },
);

it("stores the same as fetching every space by itself, whatever happens", async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.boolean(), async (days, isNightLeftOut) => {
      for (const map of [store().spaces, store().proposals, store().votes]) map.clear();
      const homes = [createWarehouseHome(), createWarehouseHome()] as const;
      const [bySurvey, singly] = homes.map((home) => home.open()) as unknown as [Warehouse, Warehouse];
      const compare = (nowMs: number) => {
        for (const spaceId of SPACES) {
          expect(factsOf(bySurvey, spaceId), `${spaceId} on day ${(nowMs - NOW_MS) / DAY_MS}`).toEqual(
            factsOf(singly, spaceId),
          );
        }
        expect(bySurvey.fetchRecords()).toEqual(singly.fetchRecords());
        expect(bySurvey.rejections()).toEqual(singly.rejections());
      };
      try {
        for (const id of SPACES) store().putSpace(sampleSpace({ id, name: id }));
        let made = 0;
        let isSilent = false;
        for (const [day, events] of days.entries()) {
          for (const { event, space, which, votes } of events) {
            const ids = [...store().proposals.values()].filter((one) => one["space"] === space);
            const id = String(ids[which % Math.max(1, ids.length)]?.["id"]);
            const proposal = store().proposals.get(id);
            if (event === "open") {
              made += 1;
              store().putProposal(openProposal(`0x${made}`, space, day - which));
            } else if (event === "settings")
              store().putSpace(sampleSpace({ id: space, name: `${space} ${day}` }));
            else if (proposal === undefined) continue;
            else if (event === "vote" && proposal["state"] === "active") cast(id, votes);
            else if (event === "edit") change(id, { title: `${id} ${day}`, updated: dayS(day) });
            else if (event === "close" && Number(proposal["end"]) <= dayS(day)) count(id, day);
            else if (event === "flag") change(id, { flagged: true });
            else if (event === "delete") store().proposals.delete(id);
            else if (event === "recount" && proposal["state"] === "closed") {
              isSilent = true;
              change(id, { scores_total: 99 });
            }
          }
          const nowMs = dayMs(day + 0.2);
          if (isNightLeftOut && day === 1) continue;
          await fetchChanged(bySurvey, nowMs);
          await fetchSingly(singly, nowMs);
          if (!isSilent) compare(nowMs);
        }
        for (let day = days.length; day < days.length + 31; day += 1)
          await fetchChanged(bySurvey, dayMs(day));
        await fetchSingly(singly, dayMs(days.length + 30));
        compare(dayMs(days.length + 30));
      } finally {
        for (const home of homes) home.remove();
      }
    }),
    { numRuns: 25 },
  );
});
