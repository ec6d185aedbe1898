import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openHome, pepperFor } from "../../../proxy/home.ts";
import { createKeyLookup } from "../../../proxy/keys/key-lookup.ts";
import { openKeyFile } from "../../../proxy/keys/key-store.ts";
import { openKeyTable } from "../../../proxy/keys/key-table.ts";
import { runProxyCommand } from "../../support/run-in-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const NOW = Date.parse("2026-04-01T12:00:00Z");

/** As a server does when it starts: the peppers of the home, and who a key belongs to under them. */
async function whoIs(home: string, key: string): Promise<string | undefined> {
  const { keysPath, ...rest } = openHome(home);
  const store = openKeyFile(
    keysPath,
    () => openKeyTable(keysPath, 100),
    () => NOW,
  );
  try {
    const peppers = await store.edit((table) =>
      pepperFor(table, { keysPath, ...rest }, { given: undefined, randomBytes }),
    );
    return (await createKeyLookup({ store, peppers, nowMs: () => NOW })(key))?.keyId;
  } finally {
    store.close();
  }
}

it("takes a new pepper in the steps of the README, and no key stops before its time", async () => {
  const home = mkdtempSync(join(folder, "home-"));
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await runProxyCommand(["--home", home, ...words]);
    expect(code, stderr).toBe(0);
    return stdout.trim();
  };
  const rows = async () =>
    JSON.parse(await run("--json", "key", "list")) as { key_id: string; pepper: number }[];
  const old = await run("key", "create", "--account", "acme", "--tier", "pro");
  const [{ key_id: oldId } = { key_id: "" }] = await rows();
  const path = join(home, "pepper");
  const first = readFileSync(path, "utf8");

  const second = `${"n".repeat(64)}\n`;
  writeFileSync(path, second + first);
  expect(await whoIs(home, old)).toBe(oldId);
  const successor = await run("key", "rotate", oldId, "--grace", "24h");
  const made = await run("key", "create", "--account", "acme");
  expect((await rows()).map(({ pepper }) => pepper).sort()).toEqual([1, 2, 2]);
  for (const key of [old, successor, made]) expect(await whoIs(home, key)).toMatch(/^key_/);

  writeFileSync(path, second);
  expect(await whoIs(home, old)).toBeUndefined();
  for (const key of [successor, made]) expect(await whoIs(home, key)).toMatch(/^key_/);
  // Back with the earlier one alone, half of the keys work; with one of another home, nothing starts.
  writeFileSync(path, first);
  expect(await whoIs(home, old)).toBe(oldId);
  writeFileSync(path, `${"x".repeat(64)}\n`);
  await expect(whoIs(home, made)).rejects.toEqual(expect.objectContaining({ code: "PEPPER_MISMATCH" }));
});

it("refuses to begin with a new pepper alone, which would end every key", async () => {
  const home = mkdtempSync(join(folder, "home-"));
  await runProxyCommand(["--home", home, "key", "create", "--account", "acme", "--tier", "pro"]);
  writeFileSync(join(home, "pepper"), `${"n".repeat(64)}\n`);
  const { code, stderr } = await runProxyCommand(["--home", home, "key", "create", "--account", "acme"]);
  expect(code).toBe(1);
  expect(stderr).toContain("a newer pepper goes on the line above it");
});
