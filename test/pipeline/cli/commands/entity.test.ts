import "../../../support/no-public-hub.ts";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PUBLIC_HUB_URL } from "../../../../pipeline/facts/source-table.ts";
import { DataPackage } from "../../../../snapshots/format/data-package.ts";
import { readVersion } from "../../../../snapshots/store/read/read-documents.ts";
import { AS_OF, govdata, LEAF, makeStands, NOW_MS, type Stand } from "../stand.ts";

const { published } = await makeStands();
const root = mkdtempSync(join(tmpdir(), "govdata-registry-commands-"));

const WALLET = `0x${"ab".repeat(20)}`;

/** `govdata` in a fresh home that has a copy of the curated registry. */
async function freshHome() {
  const home = mkdtempSync(join(root, "home-"));
  const places = ["--home", home, "--snapshots", join(root, "published")];
  const run = (...args: string[]) => govdata([...places, ...args]);
  expect((await run("init")).code).toBe(0);
  return { run, registry: () => readFileSync(join(home, "registry.yaml"), "utf8") };
}

describe("govdata entity", () => {
  it("adds, lists and opts out, in words", async () => {
    const { run } = await freshHome();
    const added = await run("entity", "add", "New & Co", WALLET);
    const id = /ent_\w{26}/.exec(added.stdout)?.[0] ?? "";
    expect(added).toEqual({ code: 0, stdout: `added ${id} (New & Co)\n`, stderr: "" });
    expect((await run("entity", "list")).stdout).toMatch(new RegExp(`^${id} +New & Co +1 +yes$`, "m"));
    expect((await run("entity", "opt-out", id)).stdout).toBe(
      `${id} (New & Co) is opted out from the next publish on; a running proxy follows within a second; published versions name it until \`govdata redact\`\n`,
    );
    expect((await run("entity", "list")).stdout).toMatch(new RegExp(`^${id} +New & Co +1 +opted out$`, "m"));
    expect((await run("entity", "opt-out", id)).stdout).toContain("is already opted out");
    expect((await run("entity", "opt-out", id, "--undo")).stdout).toContain("is not opted out from the next");
    const undone = JSON.parse((await run("--json", "entity", "opt-out", id, "--undo")).stdout);
    const entity = { entityId: id, label: "New & Co", wallets: [WALLET], isOptedOut: false };
    expect(undone).toEqual({ entity, isChanged: false, isLive: true });
    expect(JSON.parse((await run("--json", "entity", "list")).stdout)).toContainEqual(entity);
  });

  it.each([
    { why: "an unknown id", args: ["opt-out", "ent_nobody"], code: 1, says: "NOT_FOUND" },
    { why: "a wallet that is none", args: ["add", "New", "0x12"], code: 2, says: "BAD_OPTION" },
    { why: "no wallet", args: ["add", "New"], code: 2, says: "missing required argument 'wallet'" },
    { why: "no id", args: ["opt-out"], code: 2, says: "missing required argument 'entity-id'" },
  ])("refuses $why and writes nothing", async ({ args, code, says }) => {
    const { run, registry } = await freshHome();
    const before = registry();
    const end = await run("entity", ...args);
    expect([end.code, end.stdout]).toEqual([code, ""]);
    expect(end.stderr).toContain(says);
    expect(registry()).toBe(before);
  });

  it("asks for a home before it edits", async () => {
    const home = join(root, "no-home");
    // An id that the curated registry does not have: should the check fail, nothing is edited either.
    const end = await govdata(["--home", home, "entity", "opt-out", "ent_nobody"]);
    expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining("HOME_MISSING") });
  });
});

it("`dao list` shows every DAO, with its token if it has one", async () => {
  const { run } = await freshHome();
  const { stdout } = await run("dao", "list");
  expect(stdout).toMatch(/^nouns\.eth +Nouns +public_goods +1:0x9c8ff314c9bc7f6e59a9d9225fb22946427edc03$/m);
  const listed = JSON.parse((await run("--json", "dao", "list")).stdout);
  expect(stdout.trimEnd().split("\n")).toHaveLength(listed.length + 1);
});

it("`dao check` uses the hub that runs use, unless another is named", async () => {
  const { stdout } = await govdata(["dao", "check", "--help"]);
  expect(stdout.replace(/\s+/g, " ")).toContain(`(default: ${PUBLIC_HUB_URL}, env: GOVDATA_FROM)`);
});

/** What anybody may read of the current version: its data package, its corrections, and one page of its report. */
async function readPublished(setup: Stand, report: string) {
  const { version, set } = readVersion(setup.snapshots);
  const path = join(setup.snapshots, version, "datapackage.json");
  const { contributors, licenses, invented } = DataPackage.parse(JSON.parse(readFileSync(path, "utf8")));
  const to = join(setup.directory, report);
  expect((await setup.govdata(["report", "-o", to])).code).toBe(0);
  expect((await setup.govdata(["verify", "--deep"])).code).toBe(0);
  const page = readFileSync(join(to, "about.html"), "utf8");
  return { version, corrections: set.corrections, contributors, licenses, invented, page };
}

it("a correction is published with the publisher, is in the report, and survives redactions, after which the old name of a version still works", async () => {
  const setup = published();
  const before = await readPublished(setup, "before");
  expect(before).toMatchObject({ corrections: undefined, licenses: undefined });
  expect(before.page).toContain("No correction is recorded.");

  writeFileSync(join(setup.archive, "registry.yaml"), "license: { name: CC0-1.0 }\n", { flag: "a" });
  const correct = (...args: string[]) => setup.govdata(["correct", ...args]);
  expect(await correct("Votes were <counted> twice.", "Once.", "--in", before.version)).toMatchObject({
    code: 0,
    stdout: "recorded as of 2026-11-01; the next publish lists it\n",
  });
  const refused = await correct(`Seen by 0x${"1".repeat(40)}.`, "Once.");
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("the address of a wallet") });
  const later = { nowMs: () => NOW_MS + 60_000 };
  expect((await setup.govdata(["publish", "--as-of", AS_OF], later)).code).toBe(0);

  const cited = await readPublished(setup, "cited");
  const { version, page, ...said } = cited;
  expect(said).toEqual({
    corrections: [
      {
        date: "2026-11-01",
        wrong: "Votes were <counted> twice.",
        changed: "Once.",
        versions: [before.version],
      },
    ],
    contributors: [
      {
        title: "An invented publisher",
        role: "publisher",
        path: "https://publisher.example/",
        email: "errors@publisher.example",
      },
    ],
    licenses: [{ name: "CC0-1.0" }],
    invented: true,
  });
  expect(page).toContain("Votes were &lt;counted&gt; twice.");

  // Two redactions in turn: the first new name is gone as well.
  const { entities } = readVersion(setup.snapshots).set;
  expect(entities.length).toBeGreaterThan(1);
  for (const { entity_id: id } of entities.slice(0, 2)) {
    expect((await setup.govdata(["entity", "opt-out", id], later)).code).toBe(0);
    expect((await setup.govdata(["redact"], later)).code).toBe(0);
  }
  const redacted = await readPublished(setup, "redacted");
  expect(redacted).toMatchObject(said);
  expect(redacted.version).not.toBe(version);
  const shown = await setup.govdata(["explain", LEAF, "--version", version]);
  expect([shown.code, shown.stdout]).toEqual([0, (await setup.govdata(["explain", LEAF])).stdout]);
  const { code, stderr } = await setup.govdata(["explain", LEAF, "--version", "20261101T060001Z-00000000"]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("no version 20261101T060001Z-00000000 is kept"),
  ]);
});
