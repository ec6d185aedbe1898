import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type WrittenWorld, writeWorld } from "../../../fixtures/world.ts";
import type { AccessTier } from "../../../snapshots/format/value-sets.ts";
import { runProxyCommand } from "../run-in-process.ts";
import { type Ended, runProgram } from "../run-program.ts";

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
