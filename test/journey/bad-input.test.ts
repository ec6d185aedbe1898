import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { HubProposal, HubVote } from "../../fixtures/world/hub-objects.ts";
import { writeWorld } from "../../fixtures/world.ts";
import { createSnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import {
  type ArchiveHome,
  appendLines,
  archiveHomeAt,
  editFile,
  everyByte,
  rowsOf,
} from "../support/journey/stage.ts";
import { publishedFiles } from "../support/published-files.ts";

// A small world, published once; each test spoils a copy of it and runs again.
const LEAF = "paper-orchard.example";
const TOAST = "second-breakfast.example";
const VOTES = `votes/${LEAF}.ndjson`;
const PROPOSALS = `proposals/${LEAF}.ndjson`;

const root = mkdtempSync(join(tmpdir(), "govdata-bad-input-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const good = join(root, "good");
const world = writeWorld({
  directory: join(good, "archive"),
  seed: "bad input",
  endDay: "2026-10-31",
  spaceIds: [LEAF, TOAST],
});

let copies = 0;
function copyOfGood(): ArchiveHome {
  copies += 1;
  const directory = join(root, `copy-${copies}`);
  cpSync(good, directory, { recursive: true });
  return archiveHomeAt(directory, world.asOf);
}

const first = await archiveHomeAt(good, world.asOf).run();
if (first.code !== 0) throw new Error(`the good world ended with ${first.code}: ${first.stderr}`);
const before = publishedFiles(archiveHomeAt(good, world.asOf).snapshots);

const [proposal] = rowsOf<HubProposal>(archiveHomeAt(good, world.asOf).archive, PROPOSALS).slice(-1) as [
  HubProposal,
];
const [vote] = rowsOf<HubVote>(archiveHomeAt(good, world.asOf).archive, VOTES).slice(-1) as [HubVote];
const stranger = `0xf1c7${"9".repeat(36)}`;
const text = (value: object) => JSON.stringify(value);
const fresh = { ...vote, proposal: proposal.id, voter: stranger, id: `0x${"9".repeat(64)}` };
const withPower = (power: string) => text(fresh).replace(/"vp":[^,]+/, `"vp":${power}`);

describe("a row that cannot be taken is counted, and named by file, line and reason", () => {
  const voteRows = [
    { why: "NaN is no JSON", code: "BAD_JSON", line: withPower("NaN") },
    { why: "1e309 is infinite", code: "POWER_INVALID", line: withPower("1e309") },
    { why: "negative power", code: "POWER_INVALID", line: withPower("-5") },
    { why: "power as text", code: "BAD_SHAPE", line: withPower('"many"') },
    { why: "a time as text", code: "BAD_SHAPE", line: text({ ...fresh, created: "noon" }) },
    { why: "no object", code: "BAD_SHAPE", line: "[1,2]" },
    { why: "an address cut short", code: "ADDRESS_INVALID", line: text({ ...fresh, voter: "0x12" }) },
    {
      why: "a proposal nobody made",
      code: "PROPOSAL_UNKNOWN",
      line: text({ ...fresh, proposal: `0x${"0".repeat(64)}` }),
    },
    { why: "a time in 1970", code: "TIME_IMPOSSIBLE", line: text({ ...fresh, created: 3 }) },
    {
      why: "an earlier vote of the same voter",
      code: "DUPLICATE_VOTE",
      line: text({ ...vote, created: vote.created - 1 }),
    },
    {
      why: "cast before the vote began",
      code: "VOTE_OUTSIDE_WINDOW",
      line: text({ ...fresh, voter: `0xf1c7${"8".repeat(36)}`, created: proposal.start - 1 }),
    },
    {
      why: "an option that is not offered",
      code: "CHOICE_UNREADABLE",
      line: text({ ...fresh, voter: `0xf1c7${"7".repeat(36)}`, created: proposal.start, choice: 99 }),
    },
    {
      why: "half a row, in the middle of the file",
      code: "BAD_JSON",
      line: text(fresh).slice(0, 90),
    },
  ];
  const proposalRows = [
    {
      why: "ends before it starts",
      code: "ENDS_BEFORE_START",
      line: text({ ...proposal, id: `0x${"1".repeat(64)}`, end: proposal.start - 1 }),
    },
    { why: "the same proposal twice", code: "PROPOSAL_DUPLICATE", line: text(proposal) },
    { why: "of the wrong type", code: "BAD_SHAPE", line: text({ ...proposal, id: 7 }) },
  ];

  it("and nothing of the row's content is told", async () => {
    const home = copyOfGood();
    const firstVote = appendLines(
      home.archive,
      VOTES,
      voteRows.map((row) => row.line),
    );
    const firstProposal = appendLines(
      home.archive,
      PROPOSALS,
      proposalRows.map((row) => row.line),
    );
    const end = await home.run();
    expect(end).toMatchObject({ code: 0 });
    const report = home.report();
    const rejected = report.rejected.map(({ file, line, code }) => ({ file, line, code }));
    for (const [index, { why, code }] of voteRows.entries())
      expect(rejected, why).toContainEqual({ file: VOTES, line: firstVote + index, code });
    for (const [index, { why, code }] of proposalRows.entries())
      expect(rejected, why).toContainEqual({ file: PROPOSALS, line: firstProposal + index, code });
    expect(report.rejected_total).toBe(report.rejected.length);
    expect(text(report)).not.toContain(stranger);
    expect(text(report)).not.toContain(root);
  });

  it("and an unknown choice type is no reason to reject", async () => {
    const home = copyOfGood();
    editFile(home.archive, PROPOSALS, (all) =>
      all.replaceAll('"type":"single-choice"', '"type":"sortition"'),
    );
    expect(await home.run("--allow", "score-jump")).toMatchObject({ code: 0 });
    expect(home.report().rejected).toEqual([]);
  });
});

describe("a DAO that cannot be taken is published from its last good data, with exit code 3", () => {
  it.each([
    {
      why: "its votes are cut to garbage",
      spaceId: LEAF,
      file: VOTES,
      edit: (all: string) => all.replaceAll("{", ""),
    },
    {
      why: "a fifth of its rows are broken",
      spaceId: LEAF,
      file: VOTES,
      edit: (all: string) => all.replaceAll(/^\{"id":"0x[0-3]/gm, '["'),
    },
    {
      why: "its votes end in the middle of a row",
      spaceId: LEAF,
      file: VOTES,
      edit: (all: string) => all.slice(0, -40),
    },
    { why: "its space is no object", spaceId: TOAST, file: `spaces/${TOAST}.json`, edit: () => "7" },
  ])("$why", async ({ spaceId, file, edit }) => {
    const home = copyOfGood();
    editFile(home.archive, file, edit);
    const end = await home.run();
    expect(end).toMatchObject({ code: 3 });
    expect(end.stdout).toContain(`${spaceId}: the last fetch failed`);
    const after = publishedFiles(home.snapshots);
    expect(after.sequence).toBe(before.sequence + 1);
    expect(after.bytes(`daos/${spaceId}.json`)).toEqual(before.bytes(`daos/${spaceId}.json`));
    expect(after.bytes("daos.json")).toEqual(before.bytes("daos.json"));
    const fetch = home.report().fetches.find((fetch) => fetch.space_id === spaceId);
    expect(fetch).toMatchObject({ status: "failed", error: { code: "SOURCE_FAILED" } });
    expect(fetch?.error?.message).toContain(file);
    expect(fetch?.error?.message).not.toContain(root);
  });
});

describe("what ends a run leaves the published version as it was, to the byte", () => {
  const inRegistry = (edit: (all: string) => string) => (home: ArchiveHome) =>
    editFile(home.archive, "registry.yaml", edit);
  const spareWallet = world.entities[1]?.wallets[0] ?? "";

  it.each([
    {
      why: "an unknown category",
      spoil: inRegistry((all) => all.replace("category: social", "category: games")),
      code: 1,
      says: /registry\.yaml.*\d.*category/s,
    },
    {
      why: "a space id that is a path",
      spoil: inRegistry((all) => all.replace(LEAF, "../x")),
      code: 1,
      says: /registry\.yaml.*\d.*space_id/s,
    },
    {
      why: "a wallet in two entities",
      spoil: inRegistry((all) => all.replace(world.entities[0]?.wallets[0] ?? "", spareWallet)),
      code: 1,
      says: /registry\.yaml.*\d.*wallet/s,
    },
    { why: "no YAML", spoil: inRegistry(() => "daos: [\n"), code: 1, says: /registry\.yaml/ },
    {
      why: "no registry",
      spoil: (home: ArchiveHome) => rmSync(join(home.archive, "registry.yaml")),
      code: 1,
      says: /registry\.yaml/,
    },
    {
      why: "no archive for any DAO",
      spoil: (home: ArchiveHome) => {
        for (const folder of ["spaces", "proposals", "votes", "delegates", "logs"])
          rmSync(join(home.archive, folder), { recursive: true, force: true });
      },
      code: 4,
      says: /any of the 2 tracked DAOs/,
    },
    {
      why: "most votes gone",
      spoil: (home: ArchiveHome) => writeFileSync(join(home.archive, `votes/${LEAF}.ndjson`), ""),
      code: 6,
      says: /VOTES_FELL/,
    },
    {
      why: "most opt-outs gone",
      spoil: inRegistry((all) => all.replaceAll("publicApiOptOut: true", "publicApiOptOut: false")),
      code: 6,
      says: /OPT_OUTS_FELL/,
    },
  ])("$why: exit code $code", async ({ spoil, code, says }) => {
    const home = copyOfGood();
    const bytes = everyByte(home);
    spoil(home);
    const end = await home.run();
    expect(end).toMatchObject({ code });
    expect(end.stderr).toMatch(says);
    expect(everyByte(home)).toEqual(bytes);
  });

  it.each([
    { why: "a moment that is none", more: ["--as-of", "2026-02-30"] },
    { why: "a source nobody knows", more: ["--source", "rumours"] },
    { why: "an option nobody knows", more: ["--force"] },
    { why: "a gate nobody knows", more: ["--allow", "everything"] },
    { why: "an archive that is not there", more: ["--from", join(root, "nowhere")], code: 1 },
  ])("$why: a word, and no run", async ({ more, code = 2 }) => {
    const home = copyOfGood();
    const bytes = everyByte(home);
    expect(await home.run(...more)).toMatchObject({ code, stderr: expect.stringMatching(/./) });
    expect(everyByte(home)).toEqual(bytes);
  });

  it("another run that publishes: exit code 5, and done once it has ended", async () => {
    const home = copyOfGood();
    const bytes = everyByte(home);
    const release = createSnapshotDisk(home.snapshots).lock();
    try {
      expect(await home.run()).toMatchObject({ code: 5 });
      expect(everyByte(home)).toEqual(bytes);
    } finally {
      release();
    }
    expect(await home.run()).toMatchObject({ code: 0 });
  });
});
