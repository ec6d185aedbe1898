import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { sha256Hex } from "../../../../snapshots/format/canonical-json.ts";
import { redactSnapshot } from "../../../../snapshots/store/maintain/redact-snapshot.ts";
import { readVersion } from "../../../../snapshots/store/read/read-documents.ts";
import { createSnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import { WISH } from "../../../snapshots/store/redact-stage.ts";
import { atomFaults, childText, readXml } from "../../../support/atom.ts";
import { FIXTURE_AS_OF_MS, publishFixture } from "../../../support/published-set.ts";
import { runGovdata } from "../../../support/run-in-process.ts";
import { BUSY, publishVersions, RULED } from "./versions-stage.ts";

const stage = await publishVersions([BUSY, RULED], ["2026-09-15", "2026-10-10", "2026-10-10"]);
const [first = "", second = "", third = ""] = stage.versions;
const feed = (...args: string[]) => stage.govdata("feed", ...args);
const movesOf = async (...args: string[]): Promise<readonly Record<string, unknown>[]> =>
  JSON.parse((await feed("--json", ...args)).stdout).moves;
const file = join(tmpdir(), `govdata-feed-${process.pid}.xml`);
afterAll(() => rmSync(file, { force: true }));

describe("govdata feed", () => {
  it("tells what diff tells of each step, and prints the same bytes again", async () => {
    const end = await feed("--min-delta", "0.01");
    expect(end).toMatchObject({ code: 0, stderr: "" });
    expect((await feed("--min-delta", "0.01")).stdout).toBe(end.stdout);
    const document = readXml(end.stdout);
    expect(atomFaults(document)).toEqual([]);
    const diff = await stage.govdata("diff", first, second, "--min-delta", "0.01", "--json");
    const daos: readonly { readonly spaceId: string }[] = JSON.parse(diff.stdout).daos;
    const moves = await movesOf("--min-delta", "0.01");
    expect(daos.length).toBeGreaterThan(0);
    expect(moves.map(({ spaceId }) => spaceId)).toEqual(daos.map(({ spaceId }) => spaceId));
    const ids = [...document.querySelectorAll("entry")].map((entry) => childText(entry, "id"));
    expect(ids).toEqual(moves.map(({ id }) => id));
    const { manifest } = readVersion(stage.snapshots, second);
    for (const move of moves) expect(move).toMatchObject({ sequence: 2, asOf: manifest.as_of });
    expect(childText(document.documentElement, "updated")).toBe(manifest.as_of);
  });

  it("looks at as many steps as it is told, and at moves as large", async () => {
    // The last step changed nothing.
    expect(await movesOf("--steps", "1", "--min-delta", "0")).toEqual([]);
    expect((await movesOf("--steps", "2", "--min-delta", "0")).length).toBeGreaterThan(0);
    expect(await movesOf("--min-delta", "10")).toEqual([]);
  });

  it("names no entity and no delegate", async () => {
    const { set } = readVersion(stage.snapshots, third);
    const { stdout } = await feed("--min-delta", "0");
    const names = set.entities.flatMap(({ entity_id, label, wallets }) => [entity_id, label, ...wallets]);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => stdout.includes(name))).toEqual([]);
  });

  it("writes a file, replaces it only when told to, and says what it wrote", async () => {
    const base = ["--base-url", "https://dao.example.org/report"];
    const wrote = JSON.parse((await feed("--json", ...base, "-o", file)).stdout);
    const bytes = readFileSync(file);
    const sha256 = sha256Hex(bytes);
    expect(wrote).toMatchObject({ file: basename(file), bytes: bytes.length, sha256, version: third });
    expect(bytes.toString()).toContain('rel="self" href="https://dao.example.org/report/feed.xml"');
    expect((await feed("-o", file)).code).toBe(2);
    expect(readFileSync(file)).toEqual(bytes);
    expect(await feed(...base, "-o", file, "--force")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^wrote .*: \d+ moves?, /),
    });
    expect(readFileSync(file)).toEqual(bytes);
  });

  it.each([
    { why: "no address", args: ["--base-url", "report"], says: "URL of a web folder" },
    { why: "a password", args: ["--base-url", "https://a:secret@b.example/"], says: "URL of a web folder" },
    { why: "no step", args: ["--steps", "0"], says: "from 1 to 1000" },
    { why: "no points", args: ["--min-delta", "x"], says: "from 0 to 10" },
    { why: "no file", args: ["-o", ""], says: "must name a file" },
    {
      why: "a file among the versions",
      args: ["-o", join(stage.snapshots, "feed.xml")],
      says: "must not be",
    },
  ])("refuses $why", async ({ args, says }) => {
    const end = await feed(...args);
    expect([end.code, end.stdout, end.stderr]).toEqual([2, "", expect.stringContaining(says)]);
    expect(end.stderr).not.toContain("secret");
  });

  // The last test: it changes what is kept.
  it("tells what a rollback moved anew, and what a redaction left as it was by the same ids", async () => {
    const idsOf = (moves: readonly Record<string, unknown>[]) => moves.map(({ id }) => id);
    const seen = await movesOf("--min-delta", "0");
    expect((await stage.govdata("rollback", first)).code).toBe(0);
    const rolledBack = await movesOf("--min-delta", "0");
    expect(rolledBack.map(({ sequence }) => sequence)).toEqual([...seen.map(() => 4), ...seen.map(() => 2)]);
    expect(idsOf(rolledBack).slice(seen.length)).toEqual(idsOf(seen));
    expect(new Set(idsOf(rolledBack)).size).toBe(2 * seen.length);

    const { entity_id: entityId = "" } = readVersion(stage.snapshots, third).set.entities[0] ?? {};
    await redactSnapshot(createSnapshotDisk(stage.snapshots), { ...WISH, isHidden: (id) => id === entityId });
    const redacted = await movesOf("--min-delta", "0");
    expect(redacted.map(({ sequence }) => sequence)).toEqual([...seen.map(() => 5), ...seen.map(() => 2)]);
    expect(idsOf(redacted)).toEqual(idsOf(rolledBack));
  });
});

it("an empty feed says why on stderr: nothing to compare, or nothing that moved; with -q it is silent", async () => {
  const snapshots = join(mkdtempSync(join(tmpdir(), "govdata-empty-feed-")), "published");
  const feed = (...args: string[]) => runGovdata(["--snapshots", snapshots, "feed", ...args]);
  await publishFixture(snapshots, { createdAtMs: FIXTURE_AS_OF_MS + 1000 });
  const alone = await feed();
  expect(alone).toMatchObject({ code: 0, stderr: expect.stringContaining("one version is kept") });
  expect(alone.stdout).not.toContain("one version is kept");
  await publishFixture(snapshots, { createdAtMs: FIXTURE_AS_OF_MS + 2000 });
  const still = await feed("--min-delta", "0.5", "--json");
  expect(still.stderr).toContain("no gvs moved by 0.5 between the newest 2 kept versions");
  expect(JSON.parse(still.stdout)).not.toHaveProperty("why");
  expect(await feed("-q")).toMatchObject({ code: 0, stderr: "" });
  rmSync(join(snapshots, ".."), { recursive: true });
});
