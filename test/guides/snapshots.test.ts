import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DelegateListing } from "../../snapshots/format/delegates.ts";
import { LEAF, makeStands, TOAST } from "../pipeline/cli/stand.ts";
import { inDuckdb } from "../pipeline/tools/export/partitioned/sql/in-duckdb.ts";
import { publishedFiles } from "../support/published-files.ts";
import { blocksOf, needs, textOf } from "./guide.ts";

const readme = textOf("snapshots/README.md");
/** Has delegates, as the others have not. */
const TIDE = "tidewater-credit.example";
const { published, root } = await makeStands([LEAF, TOAST, TIDE]);

const { isMissing, here } = needs("bash", "jq", "sha256sum", "openssl");

const setup = published();
const publicKey = (await setup.govdata(["sign-key"])).stdout.trim();
const signed = await setup.govdata(["publish", "--as-of", "2026-10-31"]);
if (signed.code !== 0) throw new Error(signed.stderr);
const { version } = publishedFiles(setup.snapshots);

/** A signed version under the very path that the README says, for a reader who may spoil it. */
function reader(): { readonly folder: string; readonly directory: string } {
  const folder = mkdtempSync(join(root, "reader-"));
  const place = join(folder, "snapshots", "published");
  cpSync(setup.snapshots, place, { recursive: true });
  return { folder, directory: join(place, version) };
}

const run = (script: string, folder: string) =>
  spawnSync("bash", ["--norc", "-e", "-o", "pipefail", "-c", script], {
    cwd: folder,
    // Without this bash takes the pipe for a remote shell and reads the user's own settings.
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], GOVDATA_PUBLIC_KEY: publicKey },
    encoding: "utf8",
  });

describe(`the recipes of snapshots/README.md${here}`, () => {
  const recipes = blocksOf(readme, "sh");
  const [reading = "", hashes = "", signature = ""] = recipes;

  it.skipIf(isMissing)("read and verify what is published, with nothing of ours", () => {
    expect(recipes).toHaveLength(3);
    const { folder } = reader();
    const read = run(reading, folder);
    expect(read).toMatchObject({ status: 0, stderr: "" });
    const said = [
      "\tpaper-orchard.example\t",
      "rank\tinteger\tplace\tRank by",
      "\t2026-10-31\t",
      "MEMBER\t",
      ...[...publishedFiles(setup.snapshots).dated(TIDE)].map(
        ([date, listing]) => `${date}\t${TIDE}\t${(listing as DelegateListing).delegates[0]?.address}\n`,
      ),
      '"rejected_total":',
    ];
    for (const words of said) expect(read.stdout).toContain(words);
    expect(run(hashes, folder)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/manifest\.json: OK\nevery file has its hash\ntrue\n$/),
    });
    expect(run(signature, folder)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("Verified Successfully"),
    });
  });

  it.skipIf(isMissing).each([
    { why: "a changed file", path: "daos.json", bytes: "[]\n", by: "hashes" },
    { why: "a file that nobody named", path: "extra.json", bytes: "[]\n", by: "hashes" },
    { why: "a changed manifest", path: "manifest.json", bytes: "{}\n", by: "hashes" },
    { why: "another signature", path: "manifest.sig", bytes: "x".repeat(64), by: "signature" },
  ])("find $why", ({ path, bytes, by: checker }) => {
    const { folder, directory } = reader();
    writeFileSync(join(directory, path), bytes);
    expect(run(checker === "hashes" ? hashes : signature, folder).status).not.toBe(0);
  });
});

describe("the queries of snapshots/README.md", () => {
  const queries = blocksOf(readme, "sql").flatMap((block) =>
    block.split(/;\s*/).filter((query) => query.trim() !== ""),
  );
  const { directory } = reader();
  const rowsOf = (query: string) =>
    inDuckdb(async (connection) => {
      await connection.run(`SET file_search_path = '${directory}'`);
      return (await connection.runAndReadAll(query)).getRowObjectsJson();
    });

  it("answer rows", async () => {
    expect(queries).toHaveLength(5);
    for (const query of queries) expect((await rowsOf(query)).length, query).toBeGreaterThan(0);
  });

  it("join each dated listing to its day", async () => {
    const dated = [...publishedFiles(setup.snapshots).dated(TIDE)] as [string, DelegateListing][];
    expect(await rowsOf(queries.find((query) => query.includes("POSITIONAL")) ?? "")).toEqual(
      dated.map(([date, listing]) => ({
        dao: TIDE,
        date,
        total_delegates: String(listing.total_delegates),
        first: listing.delegates[0]?.address,
      })),
    );
  });
});

it("is written for a reader who is somewhere else", () => {
  expect(readme).not.toContain(root);
});
