import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "../../../proxy/cli.ts";
import { commandWorld } from "../../support/run-in-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();

const [NOON, LATER] = ["2026-04-01T12:00:00.000Z", "2026-04-01T13:00:00.000Z"];

/** A terminal whose stdout is full while `isFull`. */
function terminal() {
  const home = mkdtempSync(join(folder, "home-"));
  const state = { isFull: false, isNowhere: false };
  const clock = { now: NOON };
  const run = async (line: string, stdin = "") => {
    const said = { stdout: "", stderr: "" };
    const take = (text: string) => {
      if (state.isFull) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
      said.stdout += text;
    };
    const code = await runCli(
      line.split(" "),
      commandWorld({
        stdout: { write: take },
        stderr: { write: (text) => (said.stderr += text) },
        deliver: async (text) => take(text),
        readLine: async () => stdin,
        isStdoutNowhere: () => state.isNowhere,
        environment: { GOVDATA_PROXY_HOME: home },
        nowMs: () => Date.parse(clock.now),
      }),
    );
    return { code, ...said };
  };
  const keys = async (): Promise<readonly Record<string, string | null>[]> =>
    JSON.parse((await run("--json key list")).stdout);
  const make = async () => {
    const { key, key_id } = JSON.parse((await run("--json key create --account acme --tier pro")).stdout);
    return { key: String(key), id: String(key_id) };
  };
  const find = async (key: string) => JSON.parse((await run("--json key find", `${key}\r\n`)).stdout);
  return { home, state, clock, run, keys, make, find };
}

it.each(["", "--json "])("a new key that cannot be shown is revoked at once (%s)", async (flags) => {
  const { state, run, keys } = terminal();
  state.isFull = true;
  const end = await run(`${flags}key create --account acme --tier pro`);
  expect(end).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("it was revoked") });
  expect(end.stderr).not.toContain("gvk_");
  state.isFull = false;
  expect((await keys()).map((row) => row["state"])).toEqual(["revoked"]);
  expect((await run("key create --account acme")).stdout).toMatch(/^gvk_live_\w{46}\n$/);
});

it("a successor that cannot be shown is revoked, and the old key is as it was", async () => {
  const { state, run, keys } = terminal();
  await run("key create --account acme --tier pro --expires 2026-05-31");
  const [old] = await keys();
  state.isFull = true;
  const end = await run(`key rotate ${old?.["key_id"]} --grace 0h`);
  expect(end).toMatchObject({ code: 1, stdout: "" });
  expect(end.stderr).toContain(`${old?.["key_id"]} works as before`);
  expect(end.stderr).not.toContain("more at most");
  state.isFull = false;
  const after = await keys();
  expect(after.find((row) => row["key_id"] === old?.["key_id"])).toEqual(old);
  expect(after.map((row) => row["state"]).sort()).toEqual(["active", "revoked"]);
  expect((await run(`key rotate ${old?.["key_id"]} --grace 2h`)).stderr).toContain(
    "works for at most 2h more",
  );
});

it("no key is made or ended where stdout leads nowhere", async () => {
  const { state, run, keys } = terminal();
  await run("key create --account acme --tier pro");
  const before = await keys();
  state.isNowhere = true;
  for (const line of ["key create --account acme", `key rotate ${before[0]?.["key_id"]} --grace 0h`]) {
    const end = await run(line);
    expect(end).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("no key was created") });
  }
  expect(await keys()).toEqual(before);
});

it("a disk that refuses is no defect of the program", async () => {
  const { home, state, run } = terminal();
  await run("account create acme --tier pro");
  state.isFull = true;
  const full = await run("account list");
  expect(full).toMatchObject({ code: 1, stderr: expect.stringContaining("the disk is full (ENOSPC)") });
  state.isFull = false;
  writeFileSync(join(home, "pepper"), "p".repeat(40), { mode: 0o600 });
  const odd = await run(`--home ${join(home, "pepper")} key create --account acme --tier pro`);
  expect(odd).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot be") });
  for (const { stderr } of [full, odd]) expect(stderr).not.toContain("defect");
});

describe("find", () => {
  it.each([
    { why: "as it was made", line: "", state: "active", since: NOON },
    { why: "revoked later", line: "key revoke ", state: "revoked", since: LATER },
    { why: "rotated with no grace", line: "key rotate --grace 0s ", state: "expired", since: LATER },
  ])("finds the key that somebody holds: $why", async ({ line, state, since }) => {
    const { run, make, find, clock } = terminal();
    const [first, { key, id }] = [await make(), await make()];
    clock.now = LATER;
    if (line !== "") expect((await run(line + id)).code).toBe(0);
    const lookup = await find(key);
    expect(lookup).toMatchObject({ key_id: id, account: "acme", environment: "live", state, since });
    expect((await find(first.key)).key_id).toBe(first.id);
    const told = await run("key find", key);
    expect(told.stdout).toContain(id);
    expect(told.stderr.includes("its successor is key_")).toBe(line.startsWith("key rotate"));
    expect(JSON.stringify([lookup, told])).not.toContain(key.slice(9));
  });

  it.each([
    { why: "of another home", alter: (_key: string, other: string) => other, says: "unknown here", code: 1 },
    { why: "cut off", alter: (key: string) => key.slice(0, -1), says: "not a whole key", code: 1 },
    {
      why: "its id, and not the key",
      alter: (_key: string, _other: string, id: string) => id,
      says: "not a whole key",
      code: 1,
    },
    { why: "nothing", alter: () => " \n", says: "There is no key on stdin", code: 2 },
  ])("says that it is not known, without showing it: $why", async ({ alter, says, code }) => {
    const { run, make } = terminal();
    const { key, id } = await make();
    const given = alter(key, (await terminal().make()).key, id);
    const end = await run("key find", given);
    expect(end).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(says) });
    if (given.trim() !== "") expect(end.stderr).not.toContain(given.slice(0, 20));
  });

  it("knows no key where none was made, and makes no pepper to ask with", async () => {
    const { run } = terminal();
    await run("account create acme --tier pro");
    const { key } = await terminal().make();
    expect(await run("key find", key)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("unknown here"),
    });
  });

  it("says of a key that is revoked again since when it was", async () => {
    const { run, make, find, clock } = terminal();
    const { key, id } = await make();
    expect((await run(`key revoke ${id}`)).stderr).toContain("is revoked\n");
    clock.now = LATER;
    expect((await run(`key revoke ${id}`)).stderr).toContain(`was already revoked at ${NOON}`);
    expect((await find(key)).since).toBe(NOON);
  });
});
