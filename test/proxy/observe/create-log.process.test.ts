import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { folderWithFixture } from "../support/fixture-folder.ts";
import { makeKey, type ProxyPlaces, startProxyProcess } from "../support/proxy-process.ts";

const { folder, published } = folderWithFixture();
const places: ProxyPlaces = {
  home: join(mkdtempSync(join(folder, "log-")), "home"),
  snapshots: published,
  optouts: join(folder, "optouts.db"),
};
let key: string;
beforeAll(async () => {
  key = await makeKey(places, "--account", "acme", "--tier", "pro");
});

async function ask(address: string, times: number): Promise<number> {
  let ok = 0;
  for (let n = 0; n < times; n += 1) {
    const answer = await fetch(`${address}/v1/dgi`, { headers: { "x-api-key": key, connection: "close" } });
    await answer.arrayBuffer();
    if (answer.ok) ok += 1;
  }
  return ok;
}

describe("the log of a process", () => {
  it("holds every line when it is stopped, and no key", async () => {
    const proxy = await startProxyProcess(places);
    expect(await ask(proxy.address, 20)).toBe(20);
    expect(await proxy.stop()).toBe(0);
    const lines = proxy
      .log()
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
    const requests = lines.filter(({ msg }) => msg === "request");
    expect(requests).toHaveLength(20);
    expect(new Set(requests.map(({ route }) => route))).toEqual(new Set(["/v1/dgi"]));
    expect(lines.at(-1)).toMatchObject({ msg: "stopped" });
    expect(proxy.log()).not.toContain(key);
  });

  it.each([
    { why: "on a full disk", open: () => openSync("/dev/full", "w") },
    { why: "that nobody reads any more", open: () => undefined },
    { why: "whose reader hangs", open: () => fullPipe(join(folder, "hanging")) },
  ])("$why costs no answer, and the process still ends", async ({ open }) => {
    const target = open();
    const proxy = await startProxyProcess(places, { log: target ?? "unread" });
    if (target === undefined) proxy.process.stderr?.destroy();
    // Longer than lines wait before they are written.
    for (let turn = 0; turn < 5; turn += 1) {
      expect(await ask(proxy.address, 1)).toBe(1);
      await pause(90);
    }
    expect(await proxy.stop()).toBe(0);
    if (target !== undefined) closeSync(target);
  });
});

/** A pipe that takes nothing more, and has a reader that does not read. */
function fullPipe(path: string): number {
  execFileSync("mkfifo", [path]);
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const chunk = Buffer.alloc(4096, "x");
  try {
    for (let n = 0; n < 10_000; n += 1) writeSync(pipe, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return pipe;
    throw error;
  }
  throw new Error("a pipe without an end");
}
