import { randomBytes } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openHome, pepperFor } from "../../../proxy/home.ts";
import { createKeyLookup, openKeyFile } from "../../../proxy/keys/key-lookup.ts";
import { openKeyTable } from "../../../proxy/keys/key-table.ts";
import { loadPeppers } from "../../../proxy/keys/peppers.ts";
import { runProxyCommand } from "../../support/run-in-process.ts";
import { type Refusal, refusal } from "../support/refusal.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

const GOOD = "p".repeat(32);

const load = (file: string, given?: string, mayCreate = true) =>
  loadPeppers({ given, path: join(folder, file), mayCreate, randomBytes });

describe("loadPeppers", () => {
  it("makes a file that only its owner may read, once", () => {
    const [pepper, ...others] = load("made");
    expect(others).toEqual([]);
    expect(pepper).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(join(folder, "made")).mode & 0o777).toBe(0o600);
    expect(load("made")).toEqual([pepper]);
    expect(readFileSync(join(folder, "made"), "utf8").trim()).toBe(pepper);
    expect(readdirSync(folder).filter((name) => name.endsWith(".new"))).toEqual([]);
  });

  it("takes the given one and writes no file", () => {
    expect(load("not-made", GOOD)).toEqual([GOOD]);
    expect(readdirSync(folder)).not.toContain("not-made");
  });

  it("takes several, one a line and the newest first, from a file and from outside", () => {
    const [newest, earlier] = ["n".repeat(32), "with spaces, and of 32 characters"];
    const text = `${newest}\r\n\n  ${earlier}\n`;
    writeFileSync(join(folder, "several"), text, { mode: 0o600 });
    expect(load("several")).toEqual([newest, earlier]);
    expect(load("not-made", text)).toEqual([newest, earlier]);
  });

  const SHORT: Refusal = ["PEPPER_INVALID", "in GOVDATA_PEPPER is shorter than 32", "newest pepper first"];
  const COUNT: Refusal = ["PEPPER_INVALID", "There are more than 4 peppers in GOVDATA_PEPPER", "`key list`"];
  const [five = "", ...four] = ["a", "b", "c", "d", "e"].map((digit) => digit.repeat(32));
  it.each<{ why: string; given: string; says: Refusal }>([
    { why: "too short", given: GOOD.slice(1), says: SHORT },
    { why: "empty", given: "", says: SHORT },
    { why: "nothing but line ends", given: "\n\n", says: SHORT },
    { why: "a short one below", given: `${GOOD}\nshort`, says: SHORT },
    { why: "the same twice", given: `${GOOD}\n${GOOD}`, says: COUNT },
    { why: "five", given: [five, ...four].join("\n"), says: COUNT },
    {
      why: "a comment",
      given: `# a comment of more than 32 characters\n${GOOD}`,
      says: ["PEPPER_INVALID", "A line in GOVDATA_PEPPER begins with #", "Remove the line"],
    },
  ])("refuses a given text: $why", ({ given, says }) => {
    expect(() => load("x", given)).toThrow(refusal(...says));
  });

  it("takes four, the most there may be", () => {
    expect(load("x", four.join("\n"))).toEqual(four);
  });

  it("refuses a file that others may read, and one that is gone where there are keys", () => {
    writeFileSync(join(folder, "exposed"), GOOD);
    chmodSync(join(folder, "exposed"), 0o640);
    expect(() => load("exposed")).toThrow(
      refusal("PEPPER_EXPOSED", "can be read by users other than its owner", "Run: chmod 600 "),
    );
    expect(() => load("gone", undefined, false)).toThrow(
      refusal("PEPPER_MISSING", "pepper they were stored with is missing", "gone or into GOVDATA_PEPPER"),
    );
  });

  it("says in plain words what the system refuses, and leaves no draft behind", () => {
    mkdirSync(join(folder, "a-folder"), { mode: 0o700 });
    expect(() => load("a-folder")).toThrow(/pepper file .* cannot be used: it is a folder/);
    // Somebody else's file that leads nowhere: the pepper cannot be put in its place, and none is found there.
    symlinkSync(join(folder, "nowhere"), join(folder, "dangling"));
    expect(() => load("dangling")).toThrow(expect.objectContaining({ code: "PEPPER_MISSING" }));
    expect(readdirSync(folder).filter((name) => name.endsWith(".new"))).toEqual([]);
  });

  it("takes what another command made in the same moment", () => {
    let isFirst = true;
    const racing = (count: number) => {
      // While this one draws its bytes, the other finishes.
      if (isFirst) writeFileSync(join(folder, "raced"), GOOD, { mode: 0o600 });
      isFirst = false;
      return randomBytes(count);
    };
    const source = { given: undefined, path: join(folder, "raced"), mayCreate: true, randomBytes: racing };
    expect(loadPeppers(source)).toEqual([GOOD]);
  });
});

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
