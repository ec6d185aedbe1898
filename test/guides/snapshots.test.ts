import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import type { DelegateListing } from "../../snapshots/format/delegates.ts";
import { LEAF, makeStands, TOAST } from "../pipeline/cli/stand.ts";
import { publishedFiles } from "../support/published-files.ts";

const readme = readFileSync(new URL("../../snapshots/README.md", import.meta.url), "utf8");
/** Has delegates, as the others have not. */
const TIDE = "tidewater-credit.example";
const { published, root } = await makeStands([LEAF, TOAST, TIDE]);

/** Code of one language in the README, block by block. */
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(
    (match) => match[1] ?? "",
  );

const isThere = (program: string) => spawnSync("bash", ["-c", `command -v ${program}`]).status === 0;
const missing = ["bash", "jq", "sha256sum", "openssl"].filter((program) => !isThere(program));
const here = missing.length === 0 ? "" : ` (skipped: ${missing.join(", ")} not installed)`;

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
  const [reading = "", hashes = "", signature = ""] = blocks("sh");

  it.skipIf(missing.length > 0)("read and verify what is published, with nothing of ours", () => {
    expect(blocks("sh")).toHaveLength(3);
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

  it.skipIf(missing.length > 0).each([
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
  it("answer rows", async () => {
    const { directory } = reader();
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    await connection.runAndReadAll(`SET file_search_path = '${directory}'`);
    const queries = blocks("sql").flatMap((block) =>
      block.split(/;\s*/).filter((query) => query.trim() !== ""),
    );
    expect(queries).toHaveLength(5);
    for (const query of queries) {
      expect((await connection.runAndReadAll(query)).getRowObjects().length, query).toBeGreaterThan(0);
    }
  });
});

it("joins each dated listing to its day", async () => {
  const { directory } = reader();
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.runAndReadAll(`SET file_search_path = '${directory}'`);
  const query = blocks("sql")
    .join("")
    .split(";")
    .find((line) => line.includes("POSITIONAL"));
  const rows = (await connection.runAndReadAll(query ?? "")).getRowObjectsJson();
  const dated = [...publishedFiles(setup.snapshots).dated(TIDE)] as [string, DelegateListing][];
  expect(rows).toEqual(
    dated.map(([date, listing]) => ({
      dao: TIDE,
      date,
      total_delegates: String(listing.total_delegates),
      first: listing.delegates[0]?.address,
    })),
  );
});

it("is written for a reader who is somewhere else", () => {
  expect(readme).not.toContain(root);
});
