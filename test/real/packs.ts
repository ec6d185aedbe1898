import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { z } from "zod";

const BESIDE = fileURLToPath(new URL("../../../shared/data", import.meta.url));

/** Where the packs that the archive was made from lie; `undefined` where one of them is missing. */
export function packsDirectory(packs: readonly string[]): string | undefined {
  const directory = process.env["GOVDATA_REAL_DATA"] ?? BESIDE;
  return packs.every((pack) => existsSync(join(directory, `${pack}.tar.xz`))) ? directory : undefined;
}

/** A pack begins with one folder, named after the repository. */
const wordsFor = (directory: string, pack: string, path: string) => [
  ...["-f", join(directory, `${pack}.tar.xz`), "--strip-components=1", "--wildcards", `*/${path}`],
];

/** The text of one file of a pack. */
export function readPacked(directory: string, pack: string, path: string): string {
  const words = wordsFor(directory, pack, path);
  return execFileSync("tar", ["-xJO", ...words], { encoding: "utf8", maxBuffer: 2 ** 28 });
}

/** Unpacks some files of a pack, and answers the folder that their paths begin at; it goes when the test file is done. */
export function unpackPack(directory: string, pack: string, path: string): string {
  const folder = mkdtempSync(join(tmpdir(), `govdata-${pack}-`));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync("tar", ["-xJ", "-C", folder, ...wordsFor(directory, pack, path)]);
  return folder;
}

/** One row of a table by the names of its columns. */
export type CsvRow = Readonly<Record<string, string>>;

/** The cells of one line; a quoted cell may hold commas and doubled quotes, and no line break. */
function cellsOf(line: string): string[] {
  if (!line.includes('"')) return line.split(",");
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
  );
}

/** Rows of a table whose first line names its columns. */
export function readCsv(text: string): CsvRow[] {
  const [head = "", ...lines] = text.split(/\r?\n/).filter((line) => line !== "");
  const names = cellsOf(head);
  return lines.map((line) => {
    const cells = cellsOf(line);
    return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""]));
  });
}

/** The lines of a file of JSON, each of this shape. */
export function linesOf<Shape extends z.ZodType>(path: string, shape: Shape): z.infer<Shape>[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => shape.parse(JSON.parse(line)));
}

/** The last list was published with short names and without whoever has less than ten tokens. */
const Delegate = z.union([
  z.object({ address: z.string(), votingPower: z.string() }),
  z.object({ a: z.string(), vp: z.string() }).transform(({ a, vp }) => ({ address: a, votingPower: vp })),
]);
const Listing = z.object({ totalVotingPower: z.string(), delegates: z.array(Delegate) });

/** The pack of Arbitrum's delegates. */
export const ARBITRUM_PACK = "tally-zero";

/** Arbitrum's delegates as they were listed on a day, and the total that was declared with them. */
export function readArbitrum(directory: string, date: string) {
  const text = readPacked(directory, ARBITRUM_PACK, `delegate-cache_${date}.json`);
  const { totalVotingPower, delegates } = Listing.parse(JSON.parse(text));
  return {
    total: BigInt(totalVotingPower),
    delegates: delegates.map(({ address, votingPower }) => ({
      address: address.toLowerCase(),
      votes: BigInt(votingPower),
    })),
  };
}
