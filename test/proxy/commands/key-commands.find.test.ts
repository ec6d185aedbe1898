import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runProxyCommand } from "../../support/run-in-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const NOON = "2026-04-01T12:00:00.000Z";
const LATER = "2026-04-01T13:00:00.000Z";

function terminal() {
  const home = mkdtempSync(join(folder, "home-"));
  const clock = { now: NOON };
  const run = async (line: string, stdin = "") => {
    return runProxyCommand(line.split(" "), {
      readLine: async () => stdin,
      environment: { GOVDATA_PROXY_HOME: home },
      nowMs: () => Date.parse(clock.now),
    });
  };
  const make = async () => {
    const { key, key_id } = JSON.parse((await run("--json key create --account acme --tier pro")).stdout);
    return { key: String(key), id: String(key_id) };
  };
  const find = async (key: string) => JSON.parse((await run("--json key find", `${key}\r\n`)).stdout);
  return { run, make, find, clock };
}

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
