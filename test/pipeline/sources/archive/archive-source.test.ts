import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { VOTE_FLAGS } from "../../../../pipeline/facts/proposal-votes.ts";
import type { TrackedDao } from "../../../../pipeline/facts/tracked.ts";
import {
  archivedSpaces,
  createArchiveSource,
  hasArchivedChain,
} from "../../../../pipeline/sources/archive/archive-source.ts";
import { memorySink } from "../memory-sink.ts";
import {
  archiveOf,
  fetchFrom,
  many,
  ndjson,
  proposalRow,
  SPACE,
  TOKEN,
  TRIED_DAO,
  voteRow,
} from "./small-archive.ts";

const VOTES = `votes/${SPACE}.ndjson`;
const PROPOSALS = `proposals/${SPACE}.ndjson`;
const OBJECT = `spaces/${SPACE}.json`;
const LISTS = `delegates/${SPACE}`;
const DAY = `${LISTS}/2025-03-01.json`;

const listOf = (delegates: readonly unknown[], change: object = {}) =>
  JSON.stringify({
    as_of: "2025-03-01T00:00:00Z",
    source: "made up",
    complete: true,
    ens_confirmed: true,
    delegates,
    ...change,
  });
const delegate = (n: number, change: object = {}) => ({
  address: `0x${n.toString(16).padStart(40, "0")}`,
  votes: `${n}.5`,
  delegators: n,
  ...change,
});

describe("what an archive may lack", () => {
  it("fails for a DAO of which it holds nothing", async () => {
    await expect(fetchFrom({ "spaces/other.example.json": "{}" })).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message: `the archive holds nothing for ${SPACE}`,
    });
  });

  it.each<readonly [why: string, file: string, content: string | readonly unknown[]]>([
    ["a space alone, after the mark that some editors put first", OBJECT, `\uFEFF{"id":"${SPACE}"}`],
    ["proposals alone", PROPOSALS, [proposalRow(1)]],
    ["an empty proposals file", PROPOSALS, ""],
    ["delegates alone", DAY, listOf([delegate(1)])],
  ])("is content with %s", async (_why, file, content) => {
    const sink = await fetchFrom({ [file]: content });
    expect(sink.rejections).toEqual([]);
    expect(sink.ballots).toEqual([]);
  });

  it("looks for no logs where the registry names no token", async () => {
    const logs = { [`logs/5-${TOKEN}.ndjson`]: [{}] };
    const dao = { ...TRIED_DAO, governor: undefined };
    await expect(fetchFrom(logs, dao)).rejects.toMatchObject({ code: "SOURCE_FAILED" });
  });
});

describe("votes", () => {
  it("come in any order of proposals, with addresses joined in lower case", async () => {
    const shouted = `0x${"AB".repeat(20)}`;
    const sink = await fetchFrom({
      [PROPOSALS]: [proposalRow(1), proposalRow(2), proposalRow(3)],
      [VOTES]: [
        voteRow(1, { voter: shouted }),
        voteRow(2, { proposal: { id: "0xp2" }, voter: shouted.toLowerCase() }),
        voteRow(3, { vp: undefined, reason: "because", vp_state: "pending" }),
        voteRow(4, { voter: `0x${"0f".repeat(32)}`, created: null, created_date: "2022-01-02", reason: " " }),
      ],
    });
    expect(sink.rejections).toEqual([]);
    expect([...sink.voters.keys()][0]).toBe(shouted.toLowerCase());
    expect(sink.ballots.map(({ proposalId, voterIds }) => [proposalId, ...voterIds])).toEqual([
      ["0xp1", 1, 2, 3],
      ["0xp2", 1],
    ]);
    const { powerKnown, timeKnown, dayKnown, reasonKnown, reasonGiven, final } = VOTE_FLAGS;
    expect([...(sink.ballots[0]?.flags ?? [])]).toEqual([
      powerKnown | timeKnown | final,
      timeKnown | reasonKnown | reasonGiven,
      powerKnown | dayKnown | reasonKnown | final,
    ]);
  });

  it("may be followed by blank lines, Windows line ends and a byte order mark", async () => {
    const text = `\uFEFF${ndjson([voteRow(1), voteRow(2)]).replaceAll("\n", "\r\n")}\r\n\n`;
    const sink = await fetchFrom({ [PROPOSALS]: [proposalRow(1)], [VOTES]: text });
    expect([sink.ballots[0]?.count, sink.rejections.length]).toEqual([2, 0]);
  });
});

describe("a file that is not trusted", () => {
  const proposals = { [PROPOSALS]: [proposalRow(1)] };
  const good = (count: number) => many(count, voteRow);
  it.each<readonly [why: string, rows: readonly unknown[], fails: boolean]>([
    ["two malformed rows of twenty are one in ten", [...good(18), "{", "{"], false],
    ["three of twenty are more", [...good(17), "{", "{", "{"], true],
    ["nothing parses", ["<html>", "rate limited"], true],
    ["every time in milliseconds", many(20, (n) => voteRow(n, { created: 1_640_995_200_000 })), true],
    [
      "half of the powers negative: each counted",
      [...good(10), ...many(10, (n) => voteRow(n, { vp: -1 }))],
      false,
    ],
    ["votes on proposals we do not hold", many(20, (n) => voteRow(n, { proposal: "0xelse" })), false],
    ["nothing but repeats", many(20, () => voteRow(1)), false],
  ])("%s", async (_why, rows, fails) => {
    const fetching = fetchFrom({ ...proposals, [VOTES]: rows });
    if (!fails) return void (await fetching);
    const message = expect.stringContaining(VOTES);
    await expect(fetching).rejects.toMatchObject({ code: "SOURCE_FAILED", message });
  });

  it.each<readonly [why: string, file: string, content: string | Uint8Array]>([
    ["a space that is cut off", OBJECT, '{"id": "tri'],
    ["another space's object", OBJECT, '{"id":"other.example"}'],
    ["a space that the hub deleted", OBJECT, "null"],
    ["a space that is not UTF-8", OBJECT, Buffer.from(`{"id":"${SPACE}","name":"\xff"}`, "latin1")],
    ["a space after two byte order marks", OBJECT, `\uFEFF\uFEFF{"id":"${SPACE}"}`],
    ["a delegate list that is cut off", DAY, '{"as_of":'],
    ["a folder where a file should be", `${VOTES}/inside`, ""],
  ])("%s fails the DAO and names the file", async (_why, file, content) => {
    const message = expect.stringContaining(file.replace("/inside", ""));
    await expect(fetchFrom({ ...proposals, [file]: content })).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message,
    });
  });

  it.each<readonly [why: string, make: (path: string) => unknown]>([
    ["a pipe nobody writes to", (path) => execFileSync("mkfifo", [path])],
    ["a device", (path) => symlinkSync("/dev/zero", path)],
  ])("%s is refused by name and not waited for", async (_why, make) => {
    for (const file of [OBJECT, VOTES]) {
      const directory = archiveOf({});
      mkdirSync(dirname(join(directory, file)));
      make(join(directory, file));
      const message = `${file} is not a regular file`;
      const fetched = createArchiveSource({ directory }).fetchSpace(TRIED_DAO, memorySink());
      await expect(fetched).rejects.toMatchObject({ code: "SOURCE_FAILED", message });
    }
  });
});

describe("delegate lists", () => {
  it("are exact, in the smallest unit that the list needs", async () => {
    const sink = await fetchFrom({
      [DAY]: listOf([
        delegate(1, { votes: "7316058.51218245396535304", ens: "a.example" }),
        delegate(2, { votes: "12" }),
        delegate(3, { votes: "0" }),
      ]),
    });
    expect(sink.lists).toEqual([
      {
        spaceId: SPACE,
        date: "2025-03-01",
        asOfMs: Date.UTC(2025, 2, 1),
        fetchedAtMs: Date.UTC(2025, 2, 1),
        isComplete: true,
        decimals: 17,
        delegates: [
          {
            address: delegate(1).address,
            votes: 731605851218245396535304n,
            delegatorsCount: 1,
            ens: "a.example",
          },
          { address: delegate(2).address, votes: 1200000000000000000n, delegatorsCount: 2, ens: undefined },
          { address: delegate(3).address, votes: 0n, delegatorsCount: 3, ens: undefined },
        ],
      },
    ]);
  });

  const odd = (change: object) => delegate(21, change);
  it.each<readonly [why: string, row: object, code: string]>([
    [
      "an address twice, spelled otherwise",
      delegate(10, { address: `0x${"0".repeat(39)}A` }),
      "DELEGATE_DUPLICATE",
    ],
    ["negative votes", odd({ votes: "-1" }), "POWER_INVALID"],
    ["an exponent", odd({ votes: "1e21" }), "POWER_INVALID"],
    ["31 digits after the point", odd({ votes: `0.${"1".repeat(31)}` }), "POWER_INVALID"],
    ["votes as a number", odd({ votes: 5 }), "BAD_SHAPE"],
    ["half a delegator", odd({ delegators: 0.5 }), "BAD_SHAPE"],
    [
      "a Starknet address, which no listing can hold",
      odd({ address: `0x${"0f".repeat(32)}` }),
      "ADDRESS_INVALID",
    ],
  ])("leave out %s, and are complete no more", async (_why, row, code) => {
    const sink = await fetchFrom({ [DAY]: listOf([...many(20, (n) => delegate(n)), row]) });
    const message = expect.stringMatching(/^delegate 21: /);
    expect(sink.rejections).toEqual([{ file: DAY, line: undefined, code, message }]);
    const [list] = sink.lists;
    expect([list?.isComplete, list?.delegates.length]).toEqual([false, 20]);
  });

  it.each([{}, { ens_confirmed: false }])("give no name that nobody confirmed: %j", async (change) => {
    const { delegates: rows, as_of, complete } = JSON.parse(listOf([delegate(1, { ens: "a.example" })]));
    const sink = await fetchFrom({
      [DAY]: JSON.stringify({ as_of, complete, delegates: rows, ...change }),
    });
    expect([sink.rejections, sink.lists[0]?.delegates[0]?.ens]).toEqual([[], undefined]);
  });

  it("drop a name that would have to be cleaned, and keep its delegate", async () => {
    const sink = await fetchFrom({
      [DAY]: listOf([delegate(1, { ens: "vi\u200Btalik.eth" })]),
    });
    expect(sink.rejections.map(({ code }) => code)).toEqual(["NAME_UNSAFE"]);
    expect(sink.lists[0]).toMatchObject({ isComplete: true, delegates: [{ ens: undefined }] });
  });

  it.each([
    ["a name that is no date", "latest.json"],
    ["a day that does not exist", "2025-02-30.json"],
    ["another day than as_of", "2025-03-02.json"],
  ])("are left out under %s", async (_why, name) => {
    const list = listOf([delegate(1)]);
    const sink = await fetchFrom({ [`${LISTS}/${name}`]: list, [DAY]: list, [`${LISTS}/.DS_Store`]: "" });
    expect(sink.lists.map(({ date }) => date)).toEqual(["2025-03-01"]);
    expect(sink.rejections.map(({ code }) => code)).toEqual(["LIST_DATE_INVALID"]);
  });
});

describe("the spaces of an archive", () => {
  it.each<readonly [why: string, files: readonly string[], spaceIds: readonly string[]]>([
    ["no folder at all", [], []],
    ["a space object", ["spaces/b.eth.json"], ["b.eth"]],
    [
      "each once and in order, whatever there is of it",
      ["votes/b.eth.ndjson", "proposals/b.eth.ndjson", "proposals/a.eth.ndjson"],
      ["a.eth", "b.eth"],
    ],
    ["delegates alone", ["delegates/c.eth/2026-01-01.json"], ["c.eth"]],
    ["files of another kind", ["spaces/readme.txt", "registry.yaml", "proposals/x.json"], []],
  ])("%s", (_why, files, spaceIds) => {
    const directory = archiveOf(Object.fromEntries(files.map((file) => [file, ""])));
    expect(archivedSpaces(directory)).toEqual(spaceIds);
  });
});

describe("the chain of a DAO in an archive", () => {
  it.each([
    ["logs of its token", `logs/5-${TOKEN}.ndjson`, true],
    ["what its node said", `chains/5/${SPACE}.ndjson`, true],
    ["logs of another chain", `logs/8-${TOKEN}.ndjson`, false],
    ["what a node said of another DAO", "chains/5/b.eth.ndjson", false],
  ])("%s", (_why, file, isThere) => {
    const directory = archiveOf({ [file]: "" });
    expect(hasArchivedChain(directory, TRIED_DAO)).toBe(isThere);
    expect(hasArchivedChain(directory, { ...TRIED_DAO, governor: undefined })).toBe(false);
  });
});

describe("the state of an archive's files", () => {
  const DAO: TrackedDao = { spaceId: "a.eth", name: "A", category: "defi", governor: undefined };
  const [PROPOSALS, VOTES] = ["proposals/a.eth.ndjson", "votes/a.eth.ndjson"];
  /** Long after every file of a test was written. */
  const LATER_MS = Date.now() + 3_600_000;

  let directory: string;
  const write = (file: string, text: string) => writeFileSync(join(directory, file), text);
  const state = (dao = DAO, nowMs = LATER_MS) => createArchiveSource({ directory }).stateOf?.(dao, nowMs);
  beforeEach(() => {
    const DAY = "delegates/a.eth/2026-01-01.json";
    directory = archiveOf({ "spaces/other": "", [PROPOSALS]: "{}\n", [VOTES]: "{}\n", [DAY]: "{}" });
    utimesSync(join(directory, VOTES), 1, 1);
  });

  it("is the same as long as nobody touches them, whatever lies beside", () => {
    const before = state();
    write("votes/b.eth.ndjson", "{}\n");
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(state()).toBe(before);
    expect(state({ ...DAO, name: "Another name" })).toBe(before);
  });

  it.each<readonly [why: string, change: () => void]>([
    ["a line more", () => write(VOTES, "{}\n{}\n")],
    ["other bytes of the same size", () => write(VOTES, "[]\n")],
    [
      "other bytes with the old time put back",
      () => {
        write(VOTES, "[]\n");
        utimesSync(join(directory, VOTES), 1, 1);
      },
    ],
    ["a file that was not there", () => write("spaces/a.eth.json", "{}")],
    ["a file that has gone", () => rmSync(join(directory, PROPOSALS))],
    ["a day more of delegates", () => write("delegates/a.eth/2026-01-02.json", "{}")],
    [
      "a file put in the place of another",
      () => {
        write("new", "{}\n");
        renameSync(join(directory, "new"), join(directory, VOTES));
      },
    ],
  ])("is another after %s", (_why, change) => {
    const before = state();
    change();
    expect(state()).not.toBe(before);
    expect(state()).toBeDefined();
  });

  it.each<readonly [why: string, given: () => string | undefined]>([
    ["files that were written just now may change unseen", () => state(DAO, Date.now())],
    ["a clock that is behind the files", () => state(DAO, 0)],
    ["nothing is there", () => state({ ...DAO, spaceId: "c.eth" })],
    ["a DAO with a chain", () => state({ ...DAO, governor: TRIED_DAO.governor })],
  ])("is none where %s", (_why, given) => expect(given()).toBeUndefined());
});
