import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JSDOM } from "jsdom";
import { afterAll, beforeAll, expect, it } from "vitest";
import { publishFixture } from "../../../support/published-set.ts";
import { runGovdata } from "../../../support/run-in-process.ts";

const root = mkdtempSync(join(tmpdir(), "govdata-badge-"));
const snapshots = join(root, "published");
beforeAll(async () => {
  await publishFixture(snapshots);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const badge = (...args: string[]) =>
  runGovdata(["--home", join(root, "home"), "--snapshots", snapshots, "badge", ...args]);

it("is a picture that says the score, and asks for nothing", async () => {
  const { code, stdout } = await badge("tidewater.example");
  expect(code).toBe(0);
  const { documentElement: svg } = new JSDOM(stdout, { contentType: "image/svg+xml" }).window.document;
  expect(svg.querySelector("title")?.textContent).toBe("governance: 7.25 of 10, strong");
  expect([...svg.querySelectorAll("[href], image, script, style")]).toEqual([]);
  expect((await badge("tidewater.example")).stdout).toBe(stdout);
});

it.each([
  { why: "a strong one", space: "tidewater.example", message: "7.25 of 10, strong", color: "#2f6f1f" },
  { why: "a moderate one", space: "orchard", message: "5.50 of 10, moderate", color: "#7a5a00" },
  { why: "a weak one", space: "harbor-lights", message: "3.00 of 10, weak", color: "#a04000" },
])("is what shields.io asks for: $why", async ({ space, message, color }) => {
  const { stdout } = await badge(space, "--shields");
  expect(JSON.parse(stdout)).toEqual({ schemaVersion: 1, label: "governance", message, color });
  expect((await badge(space, "--json")).stdout).toBe(stdout);
});

it.each([
  { why: "has no score", space: "quiet-reef", says: "Too little is known for a score." },
  { why: "is not tracked", space: "nobody", says: "nobody is not in version " },
])("refuses a DAO that $why", async ({ space, says }) => {
  const end = await badge(space);
  expect([end.code, end.stdout, end.stderr]).toEqual([1, "", expect.stringContaining(says)]);
});
