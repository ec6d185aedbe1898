import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Redis } from "ioredis";
import { temporaryHome } from "./run-folder.ts";

/** Where the program is; undefined where it is not installed, and then tests skip. */
export const REDIS_SERVER = ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
  .map((folder) => `${folder}/redis-server`)
  .find((path) => existsSync(path));

/** Settings by their names in redis.conf. */
export type RedisSettings = Readonly<Record<string, string>>;

/** What a proxy asks for. */
export const DURABLE: RedisSettings = {
  appendonly: "yes",
  appendfsync: "always",
  "maxmemory-policy": "noeviction",
};

/** A real redis-server on a port and a folder of its own, which stay the same over its restarts. */
export interface RedisServer {
  readonly port: number;
  readonly folder: string;
  /** Of database 0, without a password. */
  readonly url: string;
  /** One command on a connection of the test's own. */
  readonly ask: (name: string, ...args: (string | number)[]) => Promise<unknown>;
  /** Ends it as its operator would; one that begins its append-only file just now does not hear that: `kill` it. */
  readonly stop: () => Promise<void>;
  /** kill -9. */
  readonly kill: () => Promise<void>;
  /** SIGSTOP: it is there and answers nothing. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Starts it again, after `stop` or `kill`; comes back when it takes connections. */
  readonly restart: (settings?: RedisSettings) => Promise<void>;
  /** Kills it and removes its folder. */
  readonly remove: () => Promise<void>;
}

/**
 * Starts one, durable unless `settings` say otherwise, and comes back when it takes connections. `before` stands before
 * it on its command line (faketime).
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
    // One that is stopped would not hear the other.
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
