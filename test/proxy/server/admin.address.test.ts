import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startServer } from "../../../proxy/server/start-server.ts";
import { readServeSettings } from "../../../proxy/settings.ts";
import { openSnapshot } from "../../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { PEPPER } from "../support/test-proxy.ts";

const folder = temporaryFolder();

async function start(environment: Readonly<Record<string, string>>) {
  const home = mkdtempSync(join(folder, "home-"));
  const lines: string[] = [];
  const snapshots = join(home, "none");
  const starting = startServer(
    { home, snapshots, optouts: join(home, "optouts.db") },
    readServeSettings({ port: "0" }, environment),
    {
      nowMs: () => 0,
      monotonicMs: () => 0,
      randomBytes,
      logStream: { write: (line) => void lines.push(line) },
      pepper: PEPPER,
      versions: { readPointer: () => readPointer(snapshots), open: () => openSnapshot(snapshots) },
      repeat: () => () => {},
    },
  );
  return { home, lines, starting };
}

describe("the address of the operator's listener", () => {
  it.each([
    { why: "none unless asked for", environment: {}, address: undefined, isWarned: false },
    {
      why: "a host alone is no options for one",
      environment: { GOVDATA_PROXY_ADMIN_HOST: "::1" },
      address: undefined,
      isWarned: false,
    },
    {
      why: "loopback without a host",
      environment: { GOVDATA_PROXY_ADMIN_PORT: "0" },
      address: "http://127.0.0.1:",
      isWarned: false,
    },
    {
      why: "another one, with a word about it",
      environment: { GOVDATA_PROXY_ADMIN_PORT: "0", GOVDATA_PROXY_ADMIN_HOST: "0.0.0.0" },
      address: "http://0.0.0.0:",
      isWarned: true,
    },
  ])("$why", async ({ environment, address, isWarned }) => {
    const { lines, starting } = await start(environment);
    const server = await starting;
    await server.stop();
    if (address === undefined) expect(server.adminAddress).toBeUndefined();
    else expect(server.adminAddress?.startsWith(address)).toBe(true);
    expect(lines.join("").includes("not on loopback")).toBe(isWarned);
  });

  it("is refused in plain words where another program listens, and nothing is left open", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const { home, starting } = await start({ GOVDATA_PROXY_ADMIN_PORT: String(port) });
    await expect(starting).rejects.toMatchObject({
      code: "ADDRESS_UNUSABLE",
      message: `Cannot listen on 127.0.0.1, port ${port}: another program is listening there.`,
      hint: expect.stringContaining("--admin-port"),
    });
    expect(existsSync(join(home, "keys.db-wal"))).toBe(false);
    other.close();
    await once(other, "close");
  });
});
