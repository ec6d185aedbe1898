import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileCopy } from "../support/compiled-copy.ts";
import { publishFixture } from "../support/published-set.ts";
import { runProxyCommand } from "../support/run-in-process.ts";

const PROXY = fileURLToPath(new URL("../../proxy/main.ts", import.meta.url));
/** Enough for any campaign: what is tried here is not the quota. */
const ENDLESS = "100000000";

/** A proxy with the fixture published and one key for each tier, for callers who mean no good. */
export interface AttackedProxy {
  readonly port: number;
  readonly keys: Readonly<Record<"free" | "pro" | "enterprise", string>>;
  /** What the kernel says about its process. Linux only. */
  readonly rssMb: () => number;
  /** Its open sockets by number. */
  readonly sockets: () => ReadonlySet<string>;
  /** Ends it, waits until it has ended, and clears up. */
  readonly stop: () => Promise<void>;
}

/** Starts one. `onLog` gets what it writes to its log. */
export type StartProxy = (onLog: (text: string) => void) => Promise<AttackedProxy>;

/** Starts the real program from source in a process of its own; `onLog` gets what it writes to its log. */
export const startProxyProcess: StartProxy = async (onLog) => {
  const home = mkdtempSync(join(tmpdir(), "govdata-process-"));
  const root = join(home, "published");
  await publishFixture(root);
  const places = ["--home", join(home, "proxy"), "--snapshots", root, "--optouts", join(home, "optouts.db")];
  const keyOf = async (tier: string, limit: readonly string[] = []) => {
    const words = ["key", "create", "--account", tier, "--tier", tier, ...limit, ...places];
    const { code, stdout, stderr } = await runProxyCommand(words);
    if (code !== 0) throw new Error(`no key: ${stderr}`);
    return stdout.trim();
  };
  const keys = {
    free: await keyOf("free"),
    pro: await keyOf("pro"),
    enterprise: await keyOf("enterprise", ["--daily-limit", ENDLESS]),
  };
  const child = spawn(
    process.execPath,
    [compileCopy(PROXY), "serve", "--host", "127.0.0.1", "--port", "0", ...places],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1", GOVDATA_PROXY_DRAIN_SECONDS: "0" },
    },
  );
  const ended = new Promise((resolve) => child.once("close", resolve));
  child.stderr.setEncoding("utf8").on("data", onLog);
  const port = await new Promise<number>((resolve, reject) => {
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const port = /^listening on http:\S+:([0-9]+)\n/.exec(said)?.[1];
      if (port !== undefined) resolve(Number(port));
      else onLog(text);
    });
    child.once("exit", (code) => reject(new Error(`the proxy ended with ${code}`)));
  });
  const processFolder = `/proc/${child.pid}`;
  return {
    port,
    keys,
    rssMb: () =>
      Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`${processFolder}/status`, "utf8"))?.[1] ?? "0") / 1024,
    sockets: () => socketsOf(`${processFolder}/fd`),
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
};

function socketsOf(folder: string): ReadonlySet<string> {
  const links = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(join(folder, name));
    } catch {
      // Closed between the two looks.
      return "";
    }
  });
  return new Set(links.filter((link) => link.startsWith("socket:")));
}
