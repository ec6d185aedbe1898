import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openWarehouseView } from "../../pipeline/warehouse/warehouse-reader.ts";
import { DAY_MS } from "../../snapshots/base/days.ts";
import { chosenSeed, seededRandom } from "../faults/seeded-random.ts";
import { dao } from "../pipeline/warehouse/sample-facts.ts";
import { EIGHT_SPACES, EIGHT_SPACES_REGISTRY, putEightSpaces } from "../support/fake-hub/eight-spaces.ts";
import { closedProposal, NOW_MS, putWithVotes, voteOn } from "../support/fake-hub/sample-space.ts";
import { type FakeHub, startFakeHub } from "../support/fake-hub/start-fake-hub.ts";
import { type Ended, startProgram } from "../support/run-program.ts";

/** Votes on the largest proposal: it and eleven others have more than a page, and 111,000 there are together. */
const SCALE = 2_000;
const OUTAGE_MS = 2_000;
const KILLS = 10;
/** A fetch is killed after so many requests, most of them amid votes; a whole one takes less than ninety. */
const REQUESTS_BEFORE_KILL = { min: 4, max: 24 };
/** Kills also fall while an answer is read, kept or committed. */
const WORK_AFTER_REQUEST_MS = 60;

let hub: FakeHub;
let root: string;
let sizes: ReadonlyMap<string, number>;
let undisturbed: ReturnType<typeof rowsOf>;
beforeAll(async () => {
  hub = await startFakeHub();
  sizes = putEightSpaces(hub.store, SCALE);
  root = mkdtempSync(join(tmpdir(), "govdata-interrupted-"));
  writeFileSync(join(root, "registry.yaml"), EIGHT_SPACES_REGISTRY);
  expect(await start("undisturbed", "fetch").ended).toMatchObject({ code: 0 });
  undisturbed = rowsOf("undisturbed");
});
beforeEach(() => hub.forget());
afterEach(() => hub.failWith(undefined));
afterAll(async () => {
  await hub.close();
  rmSync(root, { recursive: true, force: true });
});

/** `govdata` at a home of this name, from the hub; the rate is lifted. */
function start(home: string, command: "fetch" | "run") {
  const places = ["--home", join(root, home), "--snapshots", join(root, home, "published")];
  const source = ["--source", "snapshot-hub", "--from", hub.url, "--rps", "1000"];
  return startProgram("govdata", [...places, "--registry", join(root, "registry.yaml"), command, ...source]);
}

/** Spaces, proposals and every row of every ballot; voters by address, for their numbers go by who came first. */
function rowsOf(home: string) {
  const view = openWarehouseView(join(root, home, "warehouse.db"));
  try {
    const addresses = new Map<number, string>();
    view.eachVoter((address, number) => addresses.set(number, address));
    return EIGHT_SPACES.map((spaceId) => ({
      spaceId,
      space: view.dao(dao(spaceId)).space,
      proposals: view.dao(dao(spaceId)).proposals,
      ballots: Array.from(view.ballots(spaceId), ({ proposalId, count, ...columns }) => ({
        proposalId,
        rows: Array.from({ length: count }, (_, row) =>
          JSON.stringify([
            addresses.get(columns.voterIds[row] ?? 0),
            columns.powers[row],
            columns.timesS[row],
            columns.choices[columns.choiceIndexes[row] ?? 0],
            columns.flags[row],
          ]),
        ).sort(),
      })),
    }));
  } finally {
    view.close();
  }
}

const votesAsked = () => hub.arrived.filter(({ operation }) => operation.includes("Votes")).length;

it("an undisturbed fetch holds every vote of the hub", () => {
  const ballots = undisturbed.flatMap((space) => space.ballots);
  expect(new Map(ballots.map(({ proposalId, rows }) => [proposalId, rows.length]))).toEqual(sizes);
});

describe("a hub whose database fails for two seconds in mid-run", () => {
  it("costs nothing: the run ends with 0, and every row is there", async () => {
    let beganMs: number | undefined;
    let failures = 0;
    hub.failWith((_query, count) => {
      if (count < 15) return undefined;
      beganMs ??= performance.now();
      if (performance.now() - beganMs > OUTAGE_MS) return undefined;
      failures += 1;
      return { kind: "database" };
    });
    const end = await start("outage", "run").ended;
    expect(end, end.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("8 DAOs scored") });
    expect(failures).toBeGreaterThan(0);
    expect(rowsOf("outage")).toEqual(undisturbed);
  });
});

describe("a fetch that is killed and started again", () => {
  const seed = chosenSeed();

  /** Kills a fetch some time after one of these requests; `undefined` for one that ended before. */
  async function killOne(
    home: string,
    random: () => number,
    { min, max } = REQUESTS_BEFORE_KILL,
  ): Promise<Ended | undefined> {
    hub.forget();
    const last = min + Math.floor(random() * (max - min));
    const delayMs = random() * WORK_AFTER_REQUEST_MS;
    const { child, ended } = start(home, "fetch");
    hub.failWith((_query, count) => {
      if (count === last) setTimeout(() => child.kill("SIGKILL"), delayMs);
      return undefined;
    });
    const end = await ended;
    if (child.signalCode !== "SIGKILL") expect(end, end.stderr).toMatchObject({ code: 0 });
    return child.signalCode === "SIGKILL" ? end : undefined;
  }

  it(`comes to the same after ${KILLS} kills (FAULTS_SEED=${seed})`, async () => {
    process.stdout.write(`interrupted-fetch: FAULTS_SEED=${seed}\n`);
    const random = seededRandom(seed);
    let [kills, amidVotes, homes] = [0, 0, 1];
    while (kills < KILLS) {
      const end = await killOne(`killed-${homes}`, random);
      if (end !== undefined) kills += 1;
      // Little is asked for once a fetch was complete.
      else homes += 1;
      if (end !== undefined && votesAsked() > 0) amidVotes += 1;
    }
    const home = `killed-${homes}`;
    expect(amidVotes, `FAULTS_SEED=${seed}`).toBeGreaterThan(0);
    hub.failWith(undefined);
    hub.forget();
    const end = await start(home, "fetch").ended;
    expect(end, end.stderr).toMatchObject({ code: 0 });
    process.stdout.write(
      `interrupted-fetch: ${amidVotes} of ${kills} amid votes, ${votesAsked()} pages left\n`,
    );
    expect(rowsOf(home), `FAULTS_SEED=${seed}`).toEqual(undisturbed);
    hub.forget();
    expect(await start(home, "fetch").ended).toMatchObject({ code: 0 });
    expect(votesAsked(), "nothing is left to ask for").toBe(0);
  });

  it(`misses nothing that changed, when it is killed while it asks what did (FAULTS_SEED=${seed})`, async () => {
    const random = seededRandom(seed);
    expect(await start("asking", "fetch").ended).toMatchObject({ code: 0 });
    const [first = "", second = ""] = EIGHT_SPACES;
    // The program's clock is not the hub's.
    const daysAgo = Math.ceil((NOW_MS - Date.now()) / DAY_MS) + 1;
    const added = closedProposal("0xadded", { space: first }, daysAgo);
    putWithVotes(
      hub.store,
      added,
      [1, 2, 3].map((n) => voteOn(added, n, { space: first })),
    );
    const [edited] = hub.store.proposalsOf(second);
    hub.store.putProposal({ ...edited, title: "Edited", updated: Math.floor(Date.now() / 1000) });
    // The whole survey is the first request.
    for (let kill = 0; kill < 3; kill += 1) await killOne("asking", random, { min: 1, max: 2 });
    hub.failWith(undefined);
    expect(await start("asking", "fetch").ended).toMatchObject({ code: 0 });
    expect(await start("anew", "fetch").ended).toMatchObject({ code: 0 });
    expect(rowsOf("asking"), `FAULTS_SEED=${seed}`).toEqual(rowsOf("anew"));
    expect(rowsOf("asking")).not.toEqual(undisturbed);
  });
});
