import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JSDOM } from "jsdom";
import { afterAll, describe, expect, it } from "vitest";
import { readVersion } from "../../../../snapshots/store/read/read-documents.ts";
import { publishedFiles } from "../../../support/published-files.ts";
import { FIXTURE_ENTITY_ID, publishedSet, publishFixture, walletOf } from "../../../support/published-set.ts";
import { govdata } from "../../cli/stand.ts";
import { BUSY, publishVersions, RULED } from "../compare/versions-stage.ts";

const root = mkdtempSync(join(tmpdir(), "govdata-show-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const set = publishedSet();
await publishFixture(join(root, "whole"));
await publishFixture(join(root, "no-index"), { set: { ...set, dgi: undefined, dgiHistory: undefined } });

const onPublished = (snapshots: string, ...args: readonly string[]) =>
  govdata(["--home", join(root, "home"), "--snapshots", join(root, snapshots), ...args]);
const show = (args: readonly string[], snapshots = "whole") => onPublished(snapshots, "show", ...args);

/** What the API serves of a detail: the dates are in its meta. */
const [tidewater, orchard] = set.details.map(({ gvs_30d_dates: _, ...detail }) => detail);
const delegates = set.listings[0]?.all ?? [];

describe("a document of the current version, as a table and as the very data that is published", () => {
  it.each([
    { args: ["daos"], table: /^rank +space .*\n +1 +tidewater\.example +7\.25 /, data: set.daos },
    {
      args: ["daos", "--category", "defi"],
      table: /^rank .*\n +1 +tidewater.*\n +3 +harbor-lights.*\n$/,
      data: set.daos.filter((dao) => dao.category === "defi"),
    },
    { args: ["daos", "--category", "infrastructure"], table: /^rank .*\n$/, data: [] },
    {
      args: ["dao", "tidewater.example"],
      table:
        /^name +Tidewater \(tidewater\.example\)\n.*rank +1 of 3, 1 of 2 in defi\n.*\nLantern Labs +5\.25 +12 of 20 known +0\n$/s,
      data: tidewater,
    },
    { args: ["dao", "orchard"], table: /^name +Orchard .*as of +\S+\n$/s, data: orchard },
    {
      args: ["risk", "orchard"],
      table: /^risk +41\.5 {2}moderate, no clear trend over 30 days\ngovernance_capture_risk +high\n/,
      data: set.risks[1],
    },
    {
      args: ["dgi"],
      table: /^dgi +5\.25 {2}over 3 DAOs\nhpr +5\.00\n/,
      data: set.dgi,
    },
    {
      args: ["entity", FIXTURE_ENTITY_ID],
      table:
        /^entity +Lantern Labs .*\nwallet +0x.*\nwallet +0x.*\n\nspace .*\ntidewater\.example +5\.25 +12 +1\n$/,
      data: set.entities[0],
    },
    {
      args: ["entity", walletOf(0xfeed).toUpperCase().replace("0X", "0x")],
      table: /^entity +Lantern Labs/,
      data: set.entities[0],
    },
  ])("show $args", async ({ args, table, data }) => {
    expect(await show(args)).toEqual({ code: 0, stdout: expect.stringMatching(table), stderr: "" });
    const asJson = await show([...args, "--json"]);
    expect(asJson).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(asJson.stdout)).toEqual(data);
  });
});

it("prints no move where there is no index", async () => {
  const end = await show(["dgi", "--moves", "month", "--json"], "no-index");
  expect([end.code, end.stdout]).toEqual([0, "[]\n"]);
});

it("puts between which ends it lies beside every number that has ends, and --json holds the data alone", async () => {
  const stage = await publishVersions([BUSY, RULED], ["2026-10-10"]);
  const { evidence } = readVersion(stage.snapshots).set.evidence.find(
    (document) => document.evidence.space_id === BUSY,
  )!;
  const ends = ({ low, high }: { low: number; high: number }, decimals = 2) =>
    `${low.toFixed(decimals)}-${high.toFixed(decimals)}`;
  const list = await stage.govdata("show", "daos");
  expect(list.stdout).toMatch(
    new RegExp(`^ +\\d +1-\\d +${BUSY} +\\d\\.\\d\\d +${ends(evidence.gvs)} `, "m"),
  );
  const detail = await stage.govdata("show", "dao", BUSY);
  for (const component of [evidence.gvs, ...Object.values(evidence.components)]) {
    expect(detail.stdout).toContain(`${component.point.toFixed(2)} [${ends(component)}]`);
  }
  expect(detail.stdout).toMatch(/^rank +\d \[1-\d\] of 2, /m);
  const badge = await stage.govdata("badge", BUSY);
  expect(badge.stdout).toContain(`${evidence.gvs.point.toFixed(2)} [${ends(evidence.gvs)}] of 10, `);
  const { risk } = evidence;
  const assessed = await stage.govdata("show", "risk", BUSY);
  expect(assessed.stdout).toContain(risk === null ? "no power" : `[${ends(risk, 1)}]`);
  const json = await stage.govdata("--json", "show", "daos");
  expect(JSON.parse(json.stdout)).toEqual(readVersion(stage.snapshots).set.daos);
});

describe("a damaged file ends with 1, though the index still has its content", async () => {
  await publishFixture(join(root, "damaged"));
  const folder = join(root, "damaged", publishedFiles(join(root, "damaged")).version);
  it.each([
    { args: ["daos", "--category", "defi"], path: "daos.json" },
    { args: ["dao", "orchard"], path: "daos/orchard.json" },
    { args: ["risk", "orchard"], path: "risk/orchard.json" },
    { args: ["dgi"], path: "dgi.json" },
    { args: ["entity", FIXTURE_ENTITY_ID], path: `entities/${FIXTURE_ENTITY_ID}.json` },
    { args: ["delegates", "tidewater.example"], path: "delegates/tidewater.example/latest.json" },
  ])("show $args", async ({ args, path }) => {
    // The index of the DGI's moves reads all files, so each is whole again for the next row.
    const whole = readFileSync(join(folder, path), "utf8");
    writeFileSync(join(folder, path), whole.replace(/\d/, "7").replace("{", " {"));
    const end = await show(args, "damaged");
    writeFileSync(join(folder, path), whole);
    expect(end).toMatchObject({ code: 1, stdout: "" });
    expect(end.stderr).toContain(`error SNAPSHOT_INVALID: ${path}: `);
    expect(await show(args, "damaged")).toMatchObject({ code: 0 });
  });
});

describe("delegates are filtered and then cut", () => {
  const T3 = delegates.filter((row) => row.weight_tier === "T3");
  it.each([
    { why: "20, where nothing is said", more: [], rows: delegates.slice(0, 20) },
    { why: "one", more: ["--limit", "1"], rows: delegates.slice(0, 1) },
    {
      why: "the most there can be of a tier",
      more: ["--tier", "T3", "--limit", "100"],
      rows: T3.slice(0, 100),
    },
    { why: "a day's", more: ["--date", "2026-03-30", "--limit", "3"], rows: undefined },
  ])("$why", async ({ more, rows }) => {
    const asJson = await show(["delegates", "tidewater.example", "--json", ...more]);
    const listing = JSON.parse(asJson.stdout);
    if (rows === undefined) expect(listing.total_delegates).toBe(delegates.length - 1);
    else expect(listing.delegates).toEqual(rows);
    const { stdout } = await show(["delegates", "tidewater.example", ...more]);
    expect(stdout).toMatch(
      new RegExp(
        `^tidewater.example: ${listing.total_delegates} delegates, fetched .*\n\nrank +address +delegate`,
      ),
    );
    expect(stdout.trimEnd().split("\n")).toHaveLength(3 + listing.delegates.length);
  });
});

describe("what is not there ends with 1, and says why", () => {
  it.each([
    {
      why: "no such DAO",
      args: ["dao", "nobody"],
      says: /NOT_FOUND: nobody is not in version \S+\nIt has tidewater\.example, orchard/,
    },
    { why: "a DAO that is a path", args: ["dao", "../orchard"], says: /NOT_FOUND: / },
    {
      why: "a DAO without a score, with its reasons",
      args: ["dao", "quiet-reef"],
      says: /NOT_FOUND: quiet-reef has no score\nToo little is known for a score\. Its gvs is between 0\.75 and 8\.50\.\n/,
    },
    { why: "its risk likewise", args: ["risk", "quiet-reef"], says: /quiet-reef has no score\nToo little / },
    {
      why: "a scored DAO that is not assessed",
      args: ["risk", "harbor-lights"],
      says: /NOT_FOUND: harbor-lights is scored, but has no risk assessment\n/,
    },
    {
      why: "no listing",
      args: ["delegates", "harbor-lights"],
      says: /harbor-lights has no delegate listing\nA DAO without/,
    },
    {
      why: "no listing of that day",
      args: ["delegates", "tidewater.example", "--date", "2020-01-01"],
      says: /has no delegate listing of 2020-01-01\n/,
    },
    {
      why: "no such entity",
      args: ["entity", `ent_${"0".repeat(26)}`],
      says: /NOT_FOUND: entity ent_0+ is not published/,
    },
    {
      why: "no entity of this wallet",
      args: ["entity", walletOf(2)],
      says: /NOT_FOUND: no published entity has this wallet/,
    },
    {
      why: "no index over so few DAOs",
      args: ["dgi"],
      snapshots: "no-index",
      says: /NOT_FOUND: there is no DGI\n/,
    },
    {
      why: "nothing published at all",
      args: ["daos"],
      snapshots: "nowhere",
      says: /SNAPSHOT_MISSING: .*\nPublish first: /,
    },
  ])("$why", async ({ args, snapshots, says }) => {
    expect(await show(args, snapshots)).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(says) });
  });
});

const badge = (...args: string[]) => onPublished("whole", "badge", ...args);

it("a badge is a picture that says the score, and asks for nothing", async () => {
  const { code, stdout } = await badge("tidewater.example");
  expect(code).toBe(0);
  const { documentElement: svg } = new JSDOM(stdout, { contentType: "image/svg+xml" }).window.document;
  expect(svg.querySelector("title")?.textContent).toBe("governance: 7.25 of 10, strong");
  expect([...svg.querySelectorAll("[href], image, script, style")]).toEqual([]);
  expect((await badge("tidewater.example")).stdout).toBe(stdout);
});

it.each([
  { why: "a strong one", space: "tidewater.example", message: "7.25 of 10, strong", color: "#2f6f1f" },
  { why: "a weak one", space: "harbor-lights", message: "3.00 of 10, weak", color: "#a04000" },
])("a badge is what shields.io asks for: $why", async ({ space, message, color }) => {
  const { stdout } = await badge(space, "--shields");
  expect(JSON.parse(stdout)).toEqual({ schemaVersion: 1, label: "governance", message, color });
  expect((await badge(space, "--json")).stdout).toBe(stdout);
});

it("there is no badge of a DAO without a score", async () => {
  const says = expect.stringContaining("Too little is known for a score.");
  expect(await badge("quiet-reef")).toEqual({ code: 1, stdout: "", stderr: says });
});
