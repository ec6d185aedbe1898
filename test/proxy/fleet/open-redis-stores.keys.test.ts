import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openServedKeys } from "../../../proxy/fleet/open-redis-stores.ts";
import { openHome } from "../../../proxy/home.ts";
import { createAccount, setAccount } from "../../../proxy/keys/accounts.ts";
import { createKey } from "../../../proxy/keys/issue-keys.ts";
import { createKeyLookup } from "../../../proxy/keys/key-lookup.ts";
import { REDIS_SERVER } from "../../support/redis-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { KEY_OPTIONS, keysInRedis, NOW_MS, PEPPER } from "./keys/keys-in-redis.ts";

const folder = temporaryFolder();
const coded = (code: string) => expect.objectContaining({ code });
const OTHER = "other".repeat(9);

describe.skipIf(REDIS_SERVER === undefined)("the keys in Redis for a server", () => {
  const { server, link, edit, makeKey } = keysInRedis();
  const opened: { readonly close: () => void }[] = [];
  afterEach(() => {
    for (const { close } of opened.splice(0)) close();
  });

  /** A host with a home of its own; `poll` is what its timer does. */
  const host = (given: string | undefined = PEPPER) => {
    const home = openHome(mkdtempSync(join(folder, "home-")));
    const state = { nowMs: NOW_MS, warnings: [] as string[], polls: 0, poll: async () => {} };
    const start = async (pepper = given) => {
      const keys = await openServedKeys(link(), home, {
        nowMs: () => state.nowMs,
        monotonicMs: () => state.nowMs,
        pepper,
        randomBytes,
        repeat: (task, everyMs) => {
          expect(everyMs).toBe(200);
          state.poll = task;
          return () => {
            state.poll = async () => {
              throw new Error("polled after its end");
            };
          };
        },
        onWarning: (warning) => state.warnings.push(warning),
      });
      opened.push(keys.keys);
      const lookup = createKeyLookup({ store: keys.keys, peppers: keys.peppers, nowMs: () => state.nowMs });
      return {
        ...keys,
        lookup: async (key: string) => lookup(key),
        probe: async () => keys.keys.find([Buffer.alloc(32)]),
      };
    };
    return { home, state, start };
  };
  const pointOf = (path: string) => (existsSync(path) ? readFileSync(path, "utf8") : "none");

  it("are refused from a Redis in which none were begun: it is more often the wrong one", async () => {
    const { start, home } = host();
    await expect(start()).rejects.toEqual(coded("KEYS_MISSING"));
    expect(await server().ask("DBSIZE")).toBe(0);
    expect(existsSync(home.keysPointPath)).toBe(false);
  });

  it.each([
    { why: "none", pepper: "", code: "PEPPER_MISSING", says: "This host has no pepper" },
    {
      why: "another",
      pepper: OTHER,
      code: "PEPPER_MISMATCH",
      says: "a different pepper than this host's",
    },
    { why: "a guessable one", pepper: "short", code: "PEPPER_INVALID", says: "shorter than 32" },
  ])("are refused to a host with $why pepper, in words that help", async ({ pepper, code, says }) => {
    await makeKey();
    const { start, home } = host();
    const error = await start(pepper).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, message: expect.stringContaining(says) });
    if (code !== "PEPPER_INVALID")
      expect(error).toMatchObject({ hint: expect.stringContaining(home.pepperPath) });
    expect(existsSync(home.pepperPath), "no server makes one of its own").toBe(false);
  });

  it("of a book without keys are nobody's; a server still makes no pepper of its own, and takes the one it has", async () => {
    await edit((table) => createAccount(table, "acme", { tier: "pro" }, NOW_MS));
    const { start, home, state } = host();
    await expect(start("")).rejects.toMatchObject({
      code: "PEPPER_MISSING",
      hint: expect.stringContaining("`key create` creates it"),
    });
    writeFileSync(home.pepperPath, `${PEPPER}\n`, { mode: 0o600 });
    const { lookup } = await start("");
    const { key } = await makeKey();
    await state.poll();
    expect(await lookup(key)).toMatchObject({ account: "acme" });
  });

  it("under a pepper that is not here open to nobody, instead of 401 to all, until they are this host's", async () => {
    await edit((table) => createAccount(table, "acme", { tier: "pro" }, NOW_MS));
    const { start, state } = host();
    const { lookup, probe } = await start();
    await edit((table) => createKey({ table, pepper: OTHER, nowMs: NOW_MS, randomBytes }, KEY_OPTIONS));
    await state.poll();
    await expect(lookup("gvk_live_any")).rejects.toEqual(coded("KEYS_PEPPER"));
    await expect(probe()).rejects.toEqual(coded("KEYS_PEPPER"));
    const { key } = await makeKey();
    await state.poll();
    expect(await lookup(key), "one of ours among them").toBeDefined();
  });

  it("that this host cannot recognise are told at the start, and when they are made under it", async () => {
    await makeKey();
    const { start, state } = host();
    expect((await start()).warnings).toEqual([undefined, undefined]);
    await edit((table) => createKey({ table, pepper: OTHER, nowMs: NOW_MS, randomBytes }, KEY_OPTIONS));
    await state.poll();
    await edit((table) => setAccount(table, "acme", { tier: "free" }));
    await state.poll();
    expect(state.warnings).toEqual([
      expect.stringMatching(/^1 active key was stored with a pepper that is missing here/),
    ]);
    expect((await start()).warnings[1]).toMatch(/^1 active key/);
  });

  it("are remembered by their last change, over restarts: an emptied or other Redis is refused, and told how to be accepted", async () => {
    const { key } = await makeKey();
    const { start, home, state } = host();
    const { lookup } = await start();
    const first = pointOf(home.keysPointPath);
    expect(first).toMatch(/^[0-9]+ [0-9a-f]{32}\n$/);
    await makeKey();
    await state.poll();
    await expect.poll(() => pointOf(home.keysPointPath)).not.toBe(first);
    await server().ask("FLUSHALL");
    await makeKey();
    await state.poll();
    await expect(lookup(key)).rejects.toEqual(coded("KEYS_LOST"));
    await expect(start()).rejects.toMatchObject({
      code: "KEYS_MISSING",
      hint: expect.stringContaining("delete keys-point"),
    });
    rmSync(home.keysPointPath);
    await expect(start()).resolves.toBeDefined();
  });

  it.each(["", "many ab\n", "0 ab\n", "5 AB\n", "5 ab\nmore", "9".repeat(40)])(
    "are refused where the memory of them is damaged: %j",
    async (text) => {
      await makeKey();
      const { start, home } = host();
      writeFileSync(home.keysPointPath, text);
      await expect(start()).rejects.toMatchObject({
        code: "HOME_UNUSABLE",
        hint: expect.stringContaining("Delete the file"),
      });
    },
  );

  it("are served on where that memory cannot be written, and the operator is told", async () => {
    await makeKey();
    const { start, home, state } = host();
    const { lookup } = await start();
    rmSync(home.directory, { recursive: true });
    const { key } = await makeKey();
    await state.poll();
    expect(await lookup(key)).toBeDefined();
    await expect
      .poll(() => state.warnings)
      .toEqual([expect.stringContaining("keys-point in the home cannot be written")]);
  });

  it("are told apart from a keys.db that lies in the home still", async () => {
    await makeKey();
    const { start, home } = host();
    writeFileSync(home.keysPath, "");
    expect((await start()).warnings).toContainEqual(
      expect.stringContaining("keys.db in the home is ignored"),
    );
  });

  it("end with the server", async () => {
    const { key } = await makeKey();
    const { start, state } = host();
    const { lookup, keys } = await start();
    keys.close();
    await expect(state.poll()).rejects.toThrow("polled after its end");
    await expect(lookup(key)).rejects.toThrow();
    opened.splice(0);
  });
});
