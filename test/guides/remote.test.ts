import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { REMOTE_ERROR_CODES } from "../../snapshots/remote/remote-store.ts";
import { verifySnapshot } from "../../snapshots/store/maintain/verify-snapshot.ts";
import { AS_OF, makeStands } from "../pipeline/cli/stand.ts";
import { replaceFile } from "../snapshots/store/temporary-root.ts";
import { publishedFiles } from "../support/published-files.ts";
import { type StaticServer, serveFolder } from "../support/static-server.ts";
import { blocksOf, needs, textOf } from "./guide.ts";

const guide = textOf("snapshots/REMOTE.md");
const { published, root } = await makeStands();
const setup = published();

const { isMissing, here } = needs("bash", "curl", "jq", "sha256sum", "openssl");
const recipes = blocksOf(guide, "sh");

let server: StaticServer;
let publicKey = "";

beforeAll(async () => {
  publicKey = (await setup.govdata(["sign-key"])).stdout.trim();
  const signed = await setup.govdata(["publish", "--as-of", AS_OF]);
  if (signed.code !== 0) throw new Error(signed.stderr);
  mkdirSync(join(root, "web"), { recursive: true });
  server = await serveFolder(setup.snapshots);
});
afterAll(() => server.close());

/** As pasted, where no error ends the shell; and not in this thread, which is the one that answers. */
function run(
  script: string,
  folder: string,
): Promise<{ readonly status: number | null; readonly said: string }> {
  const child = spawn("bash", ["--norc", "-c", script], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], MIRROR: server.address, GOVDATA_PUBLIC_KEY: publicKey },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += String(text)));
  return new Promise((resolve) => child.on("close", (status) => resolve({ status, said })));
}

describe(`the recipes of snapshots/REMOTE.md${here}`, () => {
  const [fetching = "", verifying = ""] = recipes;

  it.skipIf(isMissing)("make a mirror that verifies, with nothing of ours and with ours", async () => {
    expect(recipes).toHaveLength(2);
    const folder = mkdtempSync(join(root, "mirror-"));
    expect(await run(fetching, folder)).toEqual({ status: 0, said: "" });
    const verified = await run(verifying, folder);
    expect(verified).toMatchObject({ status: 0 });
    expect(verified.said).toContain("Signature Verified Successfully");
    const { version } = publishedFiles(setup.snapshots);
    const mirror = join(folder, "mirror");
    expect(await verifySnapshot(mirror, { deep: true })).toMatchObject({ problems: [], version });
    replaceFile(join(mirror, version, "daos.json"), "[]\n");
    const refused = await run(verifying, folder);
    expect(refused.status).not.toBe(0);
    expect(refused.said).not.toContain("Verified Successfully");
  });
});

const Rules = z.object({
  Rules: z.array(
    z.object({
      Filter: z.object({ Prefix: z.string() }),
      Expiration: z.object({ Days: z.int().min(1) }).optional(),
    }),
  ),
});

describe("the settings of snapshots/REMOTE.md", () => {
  const settings = blocksOf(guide, "json");
  const [policy = "", lifecycle = ""] = settings;

  it("are JSON, and no rule of age reaches the pointer or spares an old version", () => {
    expect(settings).toHaveLength(2);
    expect(JSON.parse(policy)).toMatchObject({ Version: "2012-10-17" });
    const byAge = Rules.parse(JSON.parse(lifecycle)).Rules.filter(
      ({ Expiration }) => Expiration !== undefined,
    );
    expect(byAge).toHaveLength(2);
    const { version } = publishedFiles(setup.snapshots);
    const reached = (path: string) =>
      byAge.filter(({ Filter }) => `governance/${path}`.startsWith(Filter.Prefix));
    expect(reached("current.json")).toEqual([]);
    // Longer than versions are kept here, and only by one of them.
    expect(reached(`${version}/daos.json`)).toMatchObject([{ Expiration: { Days: 400 } }]);
    expect(reached(".govdata-probe-x")).toHaveLength(1);
  });

  it("name every code", () => {
    const listed = [...guide.matchAll(/^- `(REMOTE_[A-Z]+)`: /gm)].map(([, code]) => code);
    expect(listed).toEqual([...REMOTE_ERROR_CODES]);
  });
});
