import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { Manifest, RunReport } from "../../snapshots/format/manifest.ts";
import { describeOnChain } from "../support/chain/with-chain.ts";
import {
  AS_OF,
  GOVERNED,
  HUB_KEY,
  type LiveHome,
  type LiveStage,
  NODE_KEY,
  PLAIN,
  setLiveStage,
} from "../support/journey/live-stage.ts";
import {
  FILES_OF_THE_RUN,
  filesUnder,
  type PublishedFiles,
  publishedFiles,
} from "../support/published-files.ts";
import type { CommandEnd } from "../support/run-in-process.ts";

const RATE = ["--rps", "1000"];
const PUBLISH = ["publish", "--as-of", AS_OF];

describeOnChain("a DAO with a space on a hub and a governor on a chain", () => {
  let stage: LiveStage;
  let first: LiveHome;
  let record: string;
  let ends: Readonly<Record<"hub" | "governor" | "compute" | "publish", CommandEnd>>;
  let firstAsked: { readonly hub: readonly string[]; readonly node: readonly string[] };
  const said: string[] = [];

  /** `govdata` at a home; all that it says is kept, to be looked through for keys. */
  const govdata = async (home: LiveHome, ...args: readonly string[]): Promise<CommandEnd> => {
    const end = await home.govdata(...args);
    said.push(end.stdout, end.stderr);
    return end;
  };
  const fromHub = () => ["--source", "snapshot-hub", "--from", stage.hub.url, ...RATE];
  const fromBoth = () => ["--source", "snapshot-hub,governor", "--from", stage.hub.url, ...RATE];
  const published = (home: LiveHome) => publishedFiles(home.snapshots);
  const asked = () => ({
    hub: stage.hub.arrived.flatMap(({ operation }) => operation.split("_")),
    node: stage.node.seen.map(({ method }) => method),
  });

  beforeAll(async () => {
    stage = await setLiveStage();
    first = stage.home();
    record = join(stage.root, "record");
    ends = {
      hub: await govdata(first, "fetch", ...fromHub(), "--record", record),
      governor: await govdata(first, "fetch", "--source", "governor", ...RATE, "--record", record),
      compute: await govdata(first, "compute", "--as-of", AS_OF),
      publish: await govdata(first, ...PUBLISH),
    };
    firstAsked = asked();
  });
  beforeEach(() => {
    stage.node.setAway(false);
    stage.hub.failWith(undefined);
    stage.hub.forget();
    stage.node.forget();
  });
  afterAll(() => stage.close());

  it("is fetched from both, and scored by the voters of before the governor", () => {
    expect(ends).toMatchObject({
      hub: { code: 0, stdout: expect.stringMatching(/^governed\.example +complete +8 +240 /m) },
      governor: { code: 0, stdout: expect.stringMatching(/^governed\.example +complete +3 +6 +0 +\d+ +0$/m) },
      compute: { code: 0, stdout: expect.stringMatching(/^governed\.example +\d+\.\d+ /m) },
      publish: { code: 0, stdout: expect.stringContaining("2 DAOs scored, 0 unscored") },
    });
    const { sources } = Manifest.parse(published(first).json("manifest.json"));
    expect(sources).toMatchObject([
      { source_id: "governor", spaces: 1, proposals: 3, votes: 6 },
      { source_id: "snapshot-hub", spaces: 2, proposals: 16, votes: 480 },
    ]);
    // The hub's thirty voters are the same in both spaces. The three who voted on the chain never vote on the hub, so the
    // method takes the governor's proposals for those of other voters.
    const voters = (spaceId: string) => published(first).json(`risk/${spaceId}.json`);
    expect(voters(PLAIN)).toMatchObject({ factors: { active_voter_count: 30 } });
    expect(voters(GOVERNED)).toMatchObject({ factors: { active_voter_count: 30 } });
    const proposals = published(first).bytes(`proposals/${GOVERNED}.ndjson`).toString("utf8");
    expect(proposals.match(/"place":"OTHER_VOTERS"/g)).toHaveLength(3);
  });

  it("has its delegates listed as they were on each day", () => {
    const powersOn = (day: string) => {
      const files = published(first);
      const listing =
        day === "latest" ? files.json(`delegates/${GOVERNED}/latest.json`) : files.dated(GOVERNED).get(day);
      const { delegates } = listing as {
        delegates: readonly { votes_human: number; delegators_count: number }[];
      };
      return delegates.map((row) => `${row.votes_human} of ${row.delegators_count}`).join(", ");
    };
    const before = "10 of 1, 5 of 1, 3 of 1";
    const after = "13 of 2, 5 of 1";
    const days = ["2026-09-11", "2026-09-20", "2026-09-21", "2026-09-30", "latest"];
    expect(days.map(powersOn)).toEqual([before, before, after, after, after]);
    expect(published(first).dated(GOVERNED).has("2026-09-10")).toBe(false);
    expect(published(first).paths).not.toContain(`delegates/${PLAIN}/latest.json`);
  });

  it("needs few requests if nothing has changed, and gives the same documents", async () => {
    const home = stage.home(first);
    expect(await govdata(home, "fetch", ...fromBoth())).toMatchObject({ code: 0 });
    const again = asked();
    expect(firstAsked.hub).toContain("Votes");
    expect(again.hub).not.toContain("Votes");
    expect(firstAsked.node).toContain("eth_getLogs");
    expect(again.node).not.toContain("eth_getLogs");
    expect(again.node.length).toBeLessThan(firstAsked.node.length / 2);
    expect(await govdata(home, ...PUBLISH)).toMatchObject({ code: 0 });
    expect(differing(published(home), published(first))).toEqual([]);
    // Fetched again, and yet the days that had ended are the same to the byte: their months are linked.
    const month = `delegates/${GOVERNED}/2026-09.ndjson`;
    expect(published(home).bytes(month).equals(published(first).bytes(month))).toBe(true);
  });

  it("is published from stored data while the node is away, and the other DAO from new data", async () => {
    const home = stage.home(first);
    stage.node.setAway(true);
    const end = await govdata(home, "run", ...fromBoth(), "--as-of", AS_OF);
    expect(end).toMatchObject({
      code: 3,
      stderr: expect.stringContaining(`${GOVERNED} could not be fetched`),
    });
    const { sequence, json } = published(home);
    expect(sequence).toBe(2);
    const failed = RunReport.parse(json("run.json")).fetches.filter(({ status }) => status === "failed");
    expect(failed).toMatchObject([{ space_id: GOVERNED, source_id: "governor", proposals: 0 }]);
    for (const path of [`risk/${GOVERNED}.json`, `delegates/${GOVERNED}/latest.json`, `daos/${PLAIN}.json`]) {
      expect(json(path), path).toEqual(published(first).json(path));
    }
  });

  it("loses nothing when nothing can be fetched", async () => {
    const home = stage.home(first);
    stage.node.setAway(true);
    stage.hub.failWith(() => ({ kind: "status", status: 403, body: { error: HUB_KEY } }));
    expect(await govdata(home, "run", ...fromBoth(), "--as-of", AS_OF)).toMatchObject({
      code: 4,
      stdout: "",
    });
    expect(await govdata(home, "fetch", ...fromBoth())).toMatchObject({ code: 4, stdout: "" });
    expect(published(home).version).toBe(published(first).version);
    // Published from the warehouse, and said to be of an earlier fetch.
    expect(await govdata(home, ...PUBLISH)).toMatchObject({ code: 3 });
    expect(differing(published(home), published(first))).toEqual([]);
  });

  it("was recorded as an archive that gives the same facts, every time", async () => {
    stage.node.setAway(true);
    stage.hub.failWith(() => ({ kind: "status", status: 403, body: {} }));
    const [one, other] = [stage.home(), stage.home()];
    for (const home of [one, other]) {
      const end = await govdata(home, "run", "--source", "archive", "--from", record, "--as-of", AS_OF);
      expect(end).toMatchObject({ code: 0, stderr: expect.not.stringContaining("warning") });
    }
    expect(differing(published(other), published(one))).toEqual([]);
    // An archive tells of delegation up to its last event. It counts as fetched on the day of its last ballot, so that what
    // came after is open: scores have other ends. All that was measured of a proposal is as it was live.
    const differs = differing(published(one), published(first), (text) => text.replace(FETCHED_AT, ""));
    const told = published(one).dated(GOVERNED);
    const bare = (listing: unknown) => JSON.stringify(listing)?.replace(FETCHED_AT, "");
    const untold = [...published(first).dated(GOVERNED)].filter(
      ([day, listing]) => bare(listing) !== bare(told.get(day)),
    );
    const lastDays = Array.from({ length: 9 }, (_, index) => `2026-09-${22 + index}`);
    expect(untold.map(([day]) => day)).toEqual(lastDays);
    const isUntold = (path: string) => path === `delegates/${GOVERNED}/2026-09.ndjson`;
    const isOfScores = (path: string) => /^daos\.json$|^(daos|evidence|history|risk)\//.test(path);
    expect(differs.filter((path) => !isUntold(path) && !isOfScores(path))).toEqual([
      `delegates/${GOVERNED}/days.csv`,
      `graph/${GOVERNED}.json`,
      "index.sqlite",
    ]);
    // Who delegates to whom is the same; of when it is, is not.
    const delegations = (home: LiveHome) => ({
      ...(published(home).json(`graph/${GOVERNED}.json`) as object),
      as_of: undefined,
      fetched_at: undefined,
    });
    expect(delegations(one)).toEqual(delegations(first));
  });

  // The last, for it looks at what all others left behind.
  it("prints and stores the keys of node and hub nowhere", () => {
    const files = filesUnder(stage.root);
    const searched = [...files.keys()].filter((path) => /warehouse\.db|run\.json|chains\/31337/.test(path));
    expect(searched.length).toBeGreaterThan(9);
    const texts = [...files].map(([path, bytes]) => [path, bytes.toString("latin1")] as const);
    for (const key of [NODE_KEY, HUB_KEY]) {
      expect(said.filter((text) => text.includes(key))).toEqual([]);
      expect(texts.filter(([, text]) => text.includes(key)).map(([path]) => path)).toEqual([]);
    }
  });
});

const FETCHED_AT = /"fetched_at":"[^"]+",/;

/** The documents that are not the same in both, or stand in one alone; what tells of the run itself is none. */
function differing(
  one: PublishedFiles,
  other: PublishedFiles,
  plain: (text: string) => string = (text) => text,
): readonly string[] {
  const paths = new Set([...one.paths, ...other.paths].filter((path) => !FILES_OF_THE_RUN.includes(path)));
  const textOf = (files: PublishedFiles, path: string) =>
    files.paths.includes(path) ? plain(files.bytes(path).toString("latin1")) : undefined;
  return [...paths].filter((path) => textOf(one, path) !== textOf(other, path));
}
