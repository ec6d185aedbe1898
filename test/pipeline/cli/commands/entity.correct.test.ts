import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { DataPackage } from "../../../../snapshots/format/data-package.ts";
import { readVersion } from "../../../../snapshots/store/read/read-documents.ts";
import { AS_OF, LEAF, makeStands, NOW_MS, type Stand } from "../stand.ts";

let stands: Awaited<ReturnType<typeof makeStands>>;
beforeAll(async () => {
  stands = await makeStands();
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

it("is published with who publishes, reaches the report, and outlives redactions; the old name leads to the new", async () => {
  const setup = stands.published();
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
