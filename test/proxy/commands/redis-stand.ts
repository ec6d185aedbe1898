import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { runCli } from "../../../proxy/cli.ts";
import { type RedisServer, startRedisServer } from "../../support/redis-server.ts";

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
}

/** Runs one line of `govdata-proxy` on a host, with its own home. */
export async function runOn(home: string, line: string, options: HostOptions = {}): Promise<Said> {
  const said = { stdout: "", stderr: "" };
  const sink = (name: "stdout" | "stderr") => ({
    write: (text: string) => {
      said[name] += text;
    },
  });
  const code = await runCli(line.split(" "), {
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    environment: {
      GOVDATA_PROXY_HOME: home,
      GOVDATA_QUOTA: options.quota,
      GOVDATA_PEPPER: options.pepper,
    },
    nowMs,
    randomBytes,
    readLine: async () => options.stdin ?? "",
    onStopSignal: () => () => {},
  });
  return { code, ...said };
}

/** One Redis for the tests of a file, empty before each, and homes of hosts. */
export function redisStand(folder: string) {
  let server: RedisServer | undefined;
  const need = (): RedisServer => {
    if (server === undefined) throw new Error("not started");
    return server;
  };
  beforeAll(async () => {
    server = await startRedisServer();
  });
  beforeEach(async () => void (await need().ask("FLUSHALL")));
  afterAll(async () => server?.remove());
  return {
    server: need,
    /** A host: a home of its own, and where its keys lie. */
    host: (where: "redis" | "files", more: Omit<HostOptions, "quota"> = {}) => {
      const home = join(mkdtempSync(join(folder, "host-")), "home");
      const quota = () => (where === "redis" ? need().url : undefined);
      const run = (line: string, now: HostOptions = {}) =>
        runOn(home, line, { quota: quota(), ...more, ...now });
      return { home, run };
    },
  };
}
