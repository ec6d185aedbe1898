import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { runProxyCommand } from "../../support/run-in-process.ts";
import { sharedRedis } from "../../support/shared-redis.ts";

let toldMs = 0;

/** The day is that of Redis' clock, which nobody here sets; no two moments are the same, as keys are listed by them. */
export function nowMs(): number {
  toldMs = Math.max(Date.now(), toldMs + 1);
  return toldMs;
}

/** How a command ended, and everything it said. */
export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What a host is given. */
export interface HostOptions {
  /** None for files in the home. */
  readonly quota?: string | undefined;
  readonly pepper?: string;
  readonly stdin?: string;
  /** How far its clock is ahead. */
  readonly aheadMs?: number;
}

/** Runs one line of `govdata-proxy` on a host, with its own home. */
export async function runOn(home: string, line: string, options: HostOptions = {}): Promise<Said> {
  return runProxyCommand(line.split(" "), {
    environment: {
      GOVDATA_PROXY_HOME: home,
      GOVDATA_QUOTA: options.quota,
      GOVDATA_PEPPER: options.pepper,
    },
    nowMs: () => nowMs() + (options.aheadMs ?? 0),
    readLine: async () => options.stdin ?? "",
  });
}

/** One Redis for the tests of a file, empty before each, and homes of hosts. */
export function hostsOnRedis(folder: string) {
  const server = sharedRedis();
  return {
    server,
    /** A host: a home of its own, and where its keys lie. */
    host: (where: "redis" | "files", more: Omit<HostOptions, "quota"> = {}) => {
      const home = join(mkdtempSync(join(folder, "host-")), "home");
      const quota = () => (where === "redis" ? server().url : undefined);
      const run = (line: string, now: HostOptions = {}) =>
        runOn(home, line, { quota: quota(), ...more, ...now });
      return { home, run };
    },
  };
}
