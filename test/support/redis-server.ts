import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { freePort } from "./free-port.ts";
import { temporaryHome } from "./run-folder.ts";

/** The path of the program; undefined if it is not installed, and then tests are skipped. */
export const REDIS_SERVER = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
  .map((folder) => `${folder}/redis-server`)
  .find((path) => existsSync(path));

/** Settings of redis.conf. */
export type RedisSettings = Readonly<Record<string, string>>;

/** The settings that the proxy requires. */
export const DURABLE: RedisSettings = {
  appendonly: "yes",
  appendfsync: "always",
  "maxmemory-policy": "noeviction",
};

/** A real redis-server with its own port and folder, which it keeps when it restarts. */
export interface RedisServer {
  readonly port: number;
  readonly folder: string;
  /** The address of database 0, without a password. */
  readonly url: string;
  /** Sends one command on a separate connection. */
  readonly ask: (name: string, ...args: (string | number)[]) => Promise<unknown>;
  /** Stops it gracefully. While it starts an append-only file it ignores this; use `kill` then. */
  readonly stop: () => Promise<void>;
  /** kill -9. */
  readonly kill: () => Promise<void>;
  /** SIGSTOP: it accepts connections but does not answer. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Starts it again after `stop` or `kill`; resolves when it accepts connections. */
  readonly restart: (settings?: RedisSettings) => Promise<void>;
  /** Kills it and removes its folder. */
  readonly remove: () => Promise<void>;
}

/**
 * Starts one, durable by default; resolves when it accepts connections. `before` is put before the program on the command
 * line (faketime).
 */
export async function startRedisServer(
  settings: RedisSettings = {},
  before: readonly string[] = [],
): Promise<RedisServer> {
  const folder = mkdtempSync(join(temporaryHome(), "govdata-redis-"));
  const port = await freePort();
  let process: ChildProcess | undefined;
  let client: Redis | undefined;
  const start = async (more: RedisSettings): Promise<void> => {
    process = await launch(
      { bind: "127.0.0.1", port: String(port), dir: folder, save: "", ...DURABLE, ...settings, ...more },
      before,
    );
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    client?.disconnect();
    client = undefined;
    if (process === undefined || process.exitCode !== null || process.signalCode !== null) return;
    const ended = once(process, "close");
    process.kill(signal);
    // A process under SIGSTOP would not receive the other signal.
    process.kill("SIGCONT");
    await ended;
  };
  await start({});
  return {
    port,
    folder,
    url: `redis://127.0.0.1:${port}`,
    ask: (name, ...args) => {
      client ??= openClient(port, settings["requirepass"]);
      return client.call(name, ...args);
    },
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
    pause: () => void process?.kill("SIGSTOP"),
    resume: () => void process?.kill("SIGCONT"),
    restart: (more = {}) => start(more),
    remove: async () => {
      await end("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function openClient(port: number, password: string | undefined): Redis {
  const client = new Redis({
    host: "127.0.0.1",
    port,
    protocol: 2,
    ...(password === undefined ? {} : { password }),
  });
  return client.on("error", () => {});
}

async function launch(settings: RedisSettings, before: readonly string[]): Promise<ChildProcess> {
  const [command = "redis-server", ...args] = [...before, REDIS_SERVER ?? "redis-server"];
  const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(command, [...args, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      said += String(chunk);
      if (/Ready to accept connections/.test(said)) resolve();
    });
    child.stderr.on("data", (chunk) => {
      said += String(chunk);
    });
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(`redis-server ended with ${code}: ${said.slice(-1000)}`)));
  });
  return child;
}
