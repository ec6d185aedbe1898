import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createHttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import type { HttpEffects } from "../../../../pipeline/sources/http/http-settings.ts";
import { HUB_LIMITS } from "../../../../pipeline/sources/hub/hub-reading.ts";
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

const stage = useHubStage();

describe("faults", () => {
  describe("a fault that passes", () => {
    const faults: readonly { readonly why: string; readonly fault: HubFault }[] = [
      { why: "429", fault: { kind: "rate-limit" } },
      { why: "a body that is cut", fault: { kind: "cut" } },
      { why: "a restart", fault: { kind: "restart" } },
      { why: "503", fault: { kind: "status", status: 503, body: {} } },
      { why: "a database that fails", fault: { kind: "database" } },
      { why: "a slow answer", fault: { kind: "slow", waitMs: 15 } },
    ];
    it.each(faults.flatMap((row) => [1_000, 100].map((pageSize) => ({ ...row, pageSize }))))(
      "costs no vote and doubles none: $why at every third request, $pageSize a page",
      async ({ fault, pageSize }) => {
        stage.putCrowded();
        stage.hub().failWith((_query, count) => (count % 3 === 1 ? fault : undefined));
        const record = await stage.fetch({ pageSize });
        expect(record).toMatchObject({ status: "complete", votes: 2_500, rejected: {} });
        expect(
          stage
            .facts()
            .ballots.get("0x1")
            ?.powers.reduce((sum, vp) => sum + vp, 0),
        ).toBe(3_126_250);
      },
    );

    it("at three a page: a cut body now and then", async () => {
      stage.putCrowded();
      stage.hub().failWith((_query, count) => (count % 50 === 7 ? { kind: "cut" } : undefined));
      expect(await stage.fetch({ pageSize: 3 })).toMatchObject({
        status: "complete",
        votes: 2_500,
        rejected: {},
      });
    });
  });

  describe("a fault that stays fails the DAO, names the reason and changes nothing", () => {
    const votes = [1, 2, 3].map((n) => voteOn(closedProposal("0x2"), n));
    it.each<{
      readonly why: string;
      readonly fault: HubFault;
      readonly says: string;
      readonly most: number;
      readonly pageSize?: number;
    }>([
      { why: "429", fault: { kind: "rate-limit" }, says: "", most: 4 },
      // Twice for two rows, and then for one as often as for what is not about size.
      { why: "500 that says nothing", fault: status(500, { errors: [] }), says: "answered 500", most: 2 + 3 },
      { why: "restarts", fault: { kind: "restart" }, says: "closed the connection", most: 2 + 4 },
      { why: "a database", fault: { kind: "database" }, says: "request failed", most: 4 },
      { why: "a bomb", fault: { kind: "bomb", bytes: 64 * 1024 * 1024 }, says: "", most: 4 },
      { why: "401", fault: status(401, { error: "unauthorized" }), says: "refused the key", most: 1 },
      { why: "404", fault: status(404, { error: "not here" }), says: "status 404", most: 1 },
      {
        why: "errors with status 200",
        fault: body({ errors: [{ message: "a\u0000limit \u202ewas passed" }], data: { votes: null } }),
        says: "refused the query",
        most: 1,
      },
      {
        why: "errors that name our key",
        fault: status(500, { errors: [{ message: "no more with good" }], data: null }),
        says: "refused the query (Votes)",
        most: 1,
      },
      {
        why: "a limit that was passed",
        fault: status(500, { errors: [{ message: "The `skip` argument must not be greater than 5000" }] }),
        says: "refused the query: The `skip` argument must not be greater than 5000 (Votes)",
        most: 1,
      },
      { why: "errors without a word", fault: body({ errors: [{}] }), says: "refused the query", most: 1 },
      { why: "no data", fault: body({ data: null }), says: "sent an answer without votes", most: 1 },
      {
        why: "another field",
        fault: body({ data: { vote: [] } }),
        says: "sent an answer without votes",
        most: 1,
      },
      {
        why: "a field of the prototype alone",
        fault: body('{"data":{"__proto__":{"votes":[]}}}'),
        says: "",
        most: 1,
      },
      {
        why: "null for a list",
        fault: body({ data: { votes: null } }),
        says: "not a list of votes",
        most: 1,
      },
      { why: "a list of nothing", fault: body([]), says: "not GraphQL", most: 1 },
      { why: "more rows than asked for", fault: body({ data: { votes } }), says: "more than the 2", most: 1 },
      {
        why: "the same rows for ever",
        fault: body({
          data: { votes: Array.from({ length: 1_000 }, (_, n) => voteOn(closedProposal("0x2"), n)) },
        }),
        says: "not in order",
        // Six pages from the start of the second, one from its end, and one after it.
        most: 8,
        pageSize: 1_000,
      },
      {
        why: "rows of no form",
        fault: body({ data: { votes: [7] } }),
        says: "1 of 1 votes of the hub are malformed",
        most: 1,
      },
    ])("$why", async ({ fault, says, most, pageSize = 2 }) => {
      const { store } = stage.hub();
      putWithVotes(store, closedProposal("0x1"), [voteOn(closedProposal("0x1"), 1)]);
      await stage.fetch();
      const before = stage.facts();
      putWithVotes(store, closedProposal("0x2"), votes);
      stage.asked();
      stage.hub().failWith(({ operation }) => (operation === "Votes" ? fault : undefined));
      const record = await stage.fetch({ pageSize, apiKey: "good" });
      expect(record).toMatchObject({ status: "failed", error: { code: "SOURCE_FAILED" } });
      expect(record.error?.message).toContain(says);
      for (const unsafe of ["good", "\u0000", "\u202e"]) expect(record.error?.message).not.toContain(unsafe);
      expect(stage.asked()["Votes"]).toBeLessThanOrEqual(most);
      expect(stage.facts()).toEqual(before);
      stage.hub().failWith(undefined);
      expect(await stage.fetch()).toMatchObject({ status: "complete", votes: 4, rejected: {} });
    });
  });

  it.each([
    { failing: "Space", words: "Unexpected error" },
    { failing: "Proposals", words: "request failed" },
  ])(
    "a database that fails for $failing, with status 200, is asked again, and named if it stays so",
    async (row) => {
      const { failing, words } = row;
      stage.putCrowded();
      stage.hub().failWith(({ operation }) => (operation === failing ? { kind: "database" } : undefined));
      expect((await stage.fetch()).error?.message).toBe(
        `${new URL(stage.hub().url).origin} reports a database failure: "${words}" (given up after 4 attempts)`,
      );
    },
  );

  function status(code: number, content: unknown): HubFault {
    return { kind: "status", status: code, body: content };
  }
  function body(content: unknown): HubFault {
    return { kind: "body", body: content };
  }
});

describe("outages", () => {
  const SPACES = Array.from({ length: 12 }, (_, n) => `space-${n}.eth`);
  const AT_ONCE = 4;
  /** Votes of a space: one large ballot and nine small ones. */
  const SIZES = [2_400, ...Array.from({ length: 9 }, () => 20)];
  const VOTES = SPACES.length * SIZES.reduce((sum, size) => sum + size, 0);
  /** For each space itself, its proposals, three pages of the large ballot, and the small ones together. */
  const REQUESTS = SPACES.length * 6;
  const DATABASE: HubFault = { kind: "database" };

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
    const source = createSnapshotHubSource({
      http,
      url: hub.url,
      pageSize: 1_000,
      nowMs: NOW_MS,
      isFull: false,
    });
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

  const WHOLE = { lost: [], votes: VOTES, rejected: [], rateLimited: 0 };

  describe("twelve DAOs at once lose nothing", () => {
    it.each<{ why: string; faultOf: Parameters<FakeHub["failWith"]>[0]; lastsS: number; most: number }>([
      { why: "undisturbed", faultOf: undefined, lastsS: 0, most: REQUESTS },
      { why: "a database away for 2 s", faultOf: outage(DATABASE, 2), lastsS: 12, most: 90 },
      { why: "a database away for 60 s", faultOf: outage(DATABASE, 60), lastsS: 70, most: 120 },
      { why: "a firewall for 60 s", faultOf: outage(status(403, "<html>"), 60), lastsS: 70, most: 120 },
      // Pages become smaller, in case that helps, and grow again.
      { why: "a proxy without its hub", faultOf: outage(status(502, "<html>"), 60), lastsS: 70, most: 250 },
      {
        why: "504 on pages of more than 900 rows",
        faultOf: ({ variables }) => (Number(variables["first"]) > 900 ? status(504, "<html>") : undefined),
        lastsS: 0,
        // Of proposals and votes two attempts each; then pages of 500 votes.
        most: SPACES.length * (1 + 3 + 3 + 5),
      },
    ])("$why", async ({ faultOf, lastsS, most }) => {
      hub.failWith(faultOf);
      const { requests, ...end } = await fetchAll();
      expect(end).toEqual(WHOLE);
      expect(nowS()).toBeGreaterThan(lastsS);
      expect(requests).toBeLessThanOrEqual(most);
    });

    it.each([2, 20, 60])("a hub that is killed, and started again %i s later", async (seconds) => {
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

  function status(code: number, body: string): HubFault {
    return { kind: "status", status: code, body };
  }
});
