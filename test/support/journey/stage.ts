import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type WrittenWorld, writeWorld } from "../../../fixtures/world.ts";
import type { AccessTier } from "../../../snapshots/format/value-sets.ts";
import { filesUnder } from "../published-files.ts";
import { runProxyCommand } from "../run-in-process.ts";
import { type Ended, runProgram } from "../run-program.ts";

/** Every byte below the snapshot root, except the lock file. */
export const everyByte = ({ snapshots }: { readonly snapshots: string }) =>
  [...filesUnder(snapshots)]
    .filter(([path]) => !path.startsWith("publish.lock"))
    .map(([path, bytes]) => [path, bytes.toString("base64")]);

/** Edits a file of an archive, to imitate damage or a careless exporter. */
export function editFile(archive: string, path: string, edit: (text: string) => string): void {
  const place = join(archive, path);
  const before = readFileSync(place, "utf8");
  const after = edit(before);
  if (after === before) throw new Error(`${path} was not changed`);
  writeFileSync(place, after);
}

/** Appends lines to a file of rows, without a final newline; returns the number of the first new line. */
export function appendLines(archive: string, path: string, lines: readonly string[]): number {
  let first = 0;
  editFile(archive, path, (text) => {
    first = text.split("\n").length;
    return `${text}${lines.join("\n")}\n`;
  });
  return first;
}

/** Parses a file of rows. */
export function rowsOf<Row>(archive: string, path: string): readonly Row[] {
  const lines = readFileSync(join(archive, path), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Row);
}

/** A temporary folder with a world and the homes of both programs. */
export interface Stage {
  readonly root: string;
  readonly world: WrittenWorld;
  readonly archive: string;
  readonly snapshots: string;
  /** Runs `govdata` with this stage's home, snapshots and registry. */
  govdata(...args: readonly string[]): Promise<Ended>;
  /** Runs `govdata-proxy` with this stage's home and snapshots. */
  proxy(...args: readonly string[]): Promise<Ended>;
  readonly proxyArgs: readonly string[];
  /** Creates a key for a new account. */
  createKey(account: string, tier: AccessTier, dailyLimit?: number): Promise<string>;
  remove(): void;
}

/** Writes a world into a new temporary folder; nothing is fetched yet. */
export function setStage(input: { readonly endDay: string; readonly spaceIds?: readonly string[] }): Stage {
  const root = mkdtempSync(join(tmpdir(), "govdata-journey-"));
  const archive = join(root, "world");
  const snapshots = join(root, "published");
  const world = writeWorld({ directory: archive, seed: "journey", ...input });
  const optOuts = ["--optouts", join(root, "home", "optouts.db")];
  const proxyArgs = ["--home", join(root, "proxy"), "--snapshots", snapshots, ...optOuts];
  const stores = ["--home", join(root, "home"), "--snapshots", snapshots];
  const registry = ["--registry", join(archive, "registry.yaml")];
  return {
    root,
    world,
    archive,
    snapshots,
    proxyArgs,
    govdata: (...args) => runProgram("govdata", [...args, ...stores, ...registry]),
    proxy: (...args) => runProgram("govdata-proxy", [...args, ...proxyArgs]),
    async createKey(account, tier, dailyLimit) {
      const limit = dailyLimit === undefined ? [] : ["--daily-limit", String(dailyLimit)];
      const args = ["key", "create", "--account", account, "--tier", tier, ...limit];
      const { code, stdout, stderr } = await runProxyCommand([...args, ...proxyArgs]);
      if (code !== 0) throw new Error(`no key: ${stderr}`);
      return stdout.trim();
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
