import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import type { HttpEffects } from "../../../../pipeline/sources/http/http-settings.ts";
import { HUB_LIMITS } from "../../../../pipeline/sources/hub/ask-hub.ts";
import { createSnapshotHubSource } from "../../../../pipeline/sources/hub/hub-source.ts";
import {
  closedProposal,
  NOW_MS,
  putWithVotes,
  sampleSpace,
  voteOn,
} from "../../../support/fake-hub/sample-space.ts";
import { type FakeHub, type HubFault, startFakeHub } from "../../../support/fake-hub/start-fake-hub.ts";
import { dao } from "../../warehouse/sample-facts.ts";
import { createSharedTime } from "../http/virtual-time.ts";
import { memorySink } from "../memory-sink.ts";
import { useHubStage } from "./hub-stage.ts";

const status = (code: number, body: unknown): HubFault => ({ kind: "status", status: code, body });
const body = (content: unknown): HubFault => ({ kind: "body", body: content });
const RESTART: HubFault = { kind: "restart" };
const DATABASE: HubFault = { kind: "database" };

describe("a fault", () => {
  const stage = useHubStage();

  const passing: readonly (readonly [why: string, fault: HubFault, each: number])[] = [
    ["429", { kind: "rate-limit" }, 3],
    ["a body that is cut", { kind: "cut" }, 3],
    ["a restart", RESTART, 3],
    ["503", status(503, {}), 3],
    ["a database that fails", DATABASE, 3],
    ["a slow answer", { kind: "slow", waitMs: 15 }, 3],
  ];
  it.each<[why: string, fault: HubFault, each: number, pageSize: number]>([
    ...passing.flatMap((row) =>
      [1_000, 100].map((size) => [...row, size] as [string, HubFault, number, number]),
    ),
    ["a body that is cut", { kind: "cut" }, 50, 3],
  ])(
    "that passes costs no vote and doubles none: %s, %o, of %i, at %i a page",
    async (_why, fault, each, size) => {
      stage.putCrowded();
      stage.hub().failWith((_query, count) => (count % each === 1 ? fault : undefined));
      expect(await stage.fetch({ pageSize: size })).toMatchObject({
        status: "complete",
        votes: 2_500,
        rejected: {},
      });
      const powers = stage.facts().ballots.get("0x1")?.powers ?? new Float64Array();
      expect(powers.reduce((sum, power) => sum + power, 0)).toBe(3_126_250);
    },
  );

  const votes = [1, 2, 3].map((n) => voteOn(closedProposal("0x2"), n));
  const same = Array.from({ length: 1_000 }, (_, n) => voteOn(closedProposal("0x2"), n));
  it.each<[why: string, fault: HubFault, says: string, most: number, pageSize?: number]>([
    ["429", { kind: "rate-limit" }, "", 4],
    // Twice for two rows, and then for one as often as for what is not about size.
    ["500 that says nothing", status(500, { errors: [] }), "answered 500", 2 + 3],
    ["restarts", RESTART, "closed the connection", 2 + 4],
    ["a database", DATABASE, "request failed", 4],
    ["a bomb", { kind: "bomb", bytes: 64 * 1024 * 1024 }, "", 4],
    ["401", status(401, { error: "unauthorized" }), "refused the key", 1],
    ["404", status(404, { error: "not here" }), "status 404", 1],
    [
      "errors with status 200",
      body({ errors: [{ message: "a\u0000limit \u202ewas passed" }], data: { votes: null } }),
      "refused the query",
      1,
    ],
    [
      "errors that name our key",
      status(500, { errors: [{ message: "no more with good" }], data: null }),
      "refused the query (Votes)",
      1,
    ],
    [
      "a limit that was passed",
      status(500, { errors: [{ message: "The `skip` argument must not be greater than 5000" }] }),
      "refused the query: The `skip` argument must not be greater than 5000 (Votes)",
      1,
    ],
    ["errors without a word", body({ errors: [{}] }), "refused the query", 1],
    ["no data", body({ data: null }), "sent an answer without votes", 1],
    ["another field", body({ data: { vote: [] } }), "sent an answer without votes", 1],
    ["a field of the prototype alone", body('{"data":{"__proto__":{"votes":[]}}}'), "", 1],
    ["null for a list", body({ data: { votes: null } }), "not a list of at most 2 votes", 1],
    ["a list of nothing", body([]), "not GraphQL", 1],
    ["more rows than asked for", body({ data: { votes } }), "not a list of at most 2 votes", 1],
    // Six pages of one second, and one after it.
    ["the same rows for ever", body({ data: { votes: same } }), "not in order", 7, 1_000],
    ["rows of no form", body({ data: { votes: [7] } }), "1 of 1 votes of the hub are malformed", 1],
  ])(
    "that stays fails the DAO, names the reason and changes nothing: %s",
    async (_why, fault, says, most, pageSize = 2) => {
      stage.put("0x1", 1);
      await stage.fetch();
      const before = stage.facts();
      stage.put("0x2", 3);
      stage.asked();
      stage.fail("Votes", fault);
      const record = await stage.fetch({ pageSize, apiKey: "good" });
      expect(record).toMatchObject({ status: "failed", error: { code: "SOURCE_FAILED" } });
      expect(record.error?.message).toContain(says);
      for (const unsafe of ["good", "\u0000", "\u202e"]) expect(record.error?.message).not.toContain(unsafe);
      expect(stage.asked()["Votes"]).toBeLessThanOrEqual(most);
      expect(stage.facts()).toEqual(before);
      stage.hub().failWith(undefined);
      expect(await stage.fetch()).toMatchObject({ status: "complete", votes: 4, rejected: {} });
    },
  );

  it.each([
    { failing: "Space", words: "Unexpected error" },
    { failing: "Proposals", words: "request failed" },
  ])("of the database for $failing, with status 200, is named if it stays", async ({ failing, words }) => {
    stage.putCrowded();
    stage.fail(failing, DATABASE);
    expect((await stage.fetch()).error?.message).toBe(
      `${new URL(stage.hub().url).origin} reports a database failure: "${words}" (given up after 4 attempts)`,
    );
  });
});

describe("outages", () => {
  const SPACES = Array.from({ length: 12 }, (_, n) => `space-${n}.eth`);
  const AT_ONCE = 4;
  /** Votes of a space: one large ballot and nine small ones. */
  const SIZES = [2_400, ...Array.from({ length: 9 }, () => 20)];
  const VOTES = SPACES.length * SIZES.reduce((sum, size) => sum + size, 0);
  /** For each space itself, its proposals, three pages of the large ballot, and the small ones together. */
  const REQUESTS = SPACES.length * 6;

  let time: HttpEffects;
  let hub: FakeHub;
  beforeEach(async () => {
    time = createSharedTime(NOW_MS);
    const limiter = { requestsPerMinute: HUB_LIMITS.requestsPerMinute, nowMs: time.nowMs };
    hub = await startFakeHub({ limiter });
    for (const id of SPACES) {
      hub.store.putSpace(sampleSpace({ id }));
      for (const [n, size] of SIZES.entries()) {
        const proposal = closedProposal(`0x${id}${n}`, { space: id }, 5 + n);
        const start = Number(proposal["start"]);
        const votes = Array.from({ length: size }, (_, voter) =>
          voteOn(proposal, voter + 1, { space: id, created: start + voter }),
        );
        putWithVotes(hub.store, proposal, votes);
      }
    }
  });
  afterEach(() => hub.close());

  /** Seconds since the fetch began. */
  const nowS = () => (time.nowMs() - NOW_MS) / 1000;

  const sleep = (seconds: number) => time.sleep(seconds * 1000, new AbortController().signal);

  /** Fetches all spaces, some at once, at the pace of a run without a key. */
  async function fetchAll() {
    const { requestsPerMinute } = HUB_LIMITS;
    const http = createHttpClient({ ...time, version: "1.0.0", settings: { requestsPerMinute } });
    const settings = { http, url: hub.url, pageSize: 1_000, nowMs: NOW_MS, isFull: false };
    const source = createSnapshotHubSource(settings);
    const waiting = [...SPACES];
    const lost: string[] = [];
    const rejected: string[] = [];
    let votes = 0;
    const fetchSome = async () => {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
        const sink = memorySink();
        try {
          await source.fetchSpace(dao(id), sink);
          votes += sink.ballots.reduce((sum, { count }) => sum + count, 0);
          rejected.push(...sink.rejections.map(({ code, file }) => `${code} ${file}`));
        } catch (error) {
          lost.push(`${id}: ${(error as Error).message}`);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, fetchSome));
    const { requests, rateLimited } = http.counters();
    await http.close();
    return { lost, votes, rejected, requests, rateLimited };
  }

  /** A fault of every answer from the tenth second on, for so long. */
  const outage = (fault: HubFault, seconds: number) => () =>
    nowS() >= 10 && nowS() < 10 + seconds ? fault : undefined;
  const tooMany: Parameters<FakeHub["failWith"]>[0] = ({ variables }) =>
    Number(variables["first"]) > 900 ? status(504, "<html>") : undefined;

  const WHOLE = { lost: [], votes: VOTES, rejected: [], rateLimited: 0 };

  describe("twelve DAOs at once lose nothing", () => {
    it.each<[why: string, faultOf: Parameters<FakeHub["failWith"]>[0], lastsS: number, most: number]>([
      ["undisturbed", undefined, 0, REQUESTS],
      ["a database away for 2 s", outage(DATABASE, 2), 12, 90],
      ["a database away for 60 s", outage(DATABASE, 60), 70, 120],
      ["a firewall for 60 s", outage(status(403, "<html>"), 60), 70, 120],
      // Pages become smaller, in case that helps, and grow again.
      ["a proxy without its hub", outage(status(502, "<html>"), 60), 70, 250],
      // Of proposals and votes two attempts each; then pages of 500 votes.
      ["504 on pages of more than 900 rows", tooMany, 0, SPACES.length * (1 + 3 + 3 + 5)],
    ])("%s", async (_why, faultOf, lastsS, most) => {
      hub.failWith(faultOf);
      const { requests, ...end } = await fetchAll();
      expect(end).toEqual(WHOLE);
      expect(nowS()).toBeGreaterThan(lastsS);
      expect(requests).toBeLessThanOrEqual(most);
    });

    it.each([2, 60])("a hub that is killed, and started again %i s later", async (seconds) => {
      const killed = sleep(10).then(async () => {
        await hub.kill();
        await sleep(seconds);
        await hub.restart();
      });
      expect(await fetchAll()).toMatchObject(WHOLE);
      await killed;
      expect(nowS()).toBeGreaterThan(10 + seconds);
    });

    it("but the one vote that the hub cannot return", async () => {
      const proposal = hub.store.proposals.get("0xspace-5.eth0") ?? {};
      const created = Number(proposal["start"]) + 1_233;
      hub.store.castVote(voteOn(proposal, 1_234, { space: "space-5.eth", created, choice: null }));
      const { requests, ...end } = await fetchAll();
      const rejected = ["VOTES_INCOMPLETE votes/0xspace-5.eth0"];
      expect(end).toEqual({ ...WHOLE, votes: VOTES - 1, rejected });
      // Where DAOs share requests, there are fewer.
      expect(requests).toBeLessThanOrEqual(REQUESTS + 2);
    });
  });

  it("a hub that stays away is told by the first DAOs after minutes, and by all others at once", async () => {
    hub.failWith(() => (nowS() >= 2 ? DATABASE : undefined));
    const { lost, requests } = await fetchAll();
    expect(lost.length).toBeGreaterThan(SPACES.length - AT_ONCE);
    expect(lost.every((message) => message.includes("reports a database failure"))).toBe(true);
    expect(nowS()).toBeLessThan(10 + 3 * 60);
    expect(requests).toBeLessThan(120);
  });
});
