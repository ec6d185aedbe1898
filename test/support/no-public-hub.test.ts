import "./no-public-hub.ts";
import { lookup } from "node:dns";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PUBLIC_HUB_URL } from "../../pipeline/facts/source-table.ts";
import { createHttpClient } from "../../pipeline/sources/http/http-client.ts";

it("no test reaches the public hub by the way that sources take", async () => {
  const http = createHttpClient({ nowMs: () => 0, version: "1.0.0" });
  await expect(http.postJson({ url: PUBLIC_HUB_URL, body: {} })).rejects.toThrow("start a fake hub for it");
  await http.close();
});

it("a name of this machine is looked up as ever", async () => {
  const found = await new Promise((resolve) =>
    lookup("localhost", (error, address) => resolve(error ?? address)),
  );
  expect(["127.0.0.1", "::1"]).toContain(found);
});

const TESTS = join(import.meta.dirname, "..");

/** Whether a text can run the program, whose default is the public hub, or knows that hub by itself. */
const mayReach = (text: string): boolean => /from ".*\/cli\/program\.ts"|\bPUBLIC_HUB_URL\b/.test(text);
const isGuarded = (text: string): boolean => /^import ".*\/no-public-hub\.ts";$/m.test(text);

it("what may reach it imports the guard, however Vitest is started", () => {
  const reaching = readdirSync(TESTS, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && path !== join("support", "no-public-hub.ts"))
    .map((path) => ({ path, text: readFileSync(join(TESTS, path), "utf8") }))
    .filter(({ text }) => mayReach(text));
  expect(reaching.length).toBeGreaterThan(4);
  expect(reaching.filter(({ text }) => !isGuarded(text)).map(({ path }) => path)).toEqual([]);
  expect(mayReach('import { runProgram } from "../../pipeline/cli/program.ts";')).toBe(true);
  expect(isGuarded('import { hub } from "./no-public-hub.ts";')).toBe(false);
});
