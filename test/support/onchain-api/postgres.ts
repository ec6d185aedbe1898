import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { freePort } from "../free-port.ts";
import { temporaryHome } from "../run-folder.ts";

const DEBIAN = "/usr/lib/postgresql";

/** The folder of PostgreSQL's programs; `undefined` if it is not installed. */
export const POSTGRES = (existsSync(DEBIAN) ? readdirSync(DEBIAN) : [])
  .map((version) => join(DEBIAN, version, "bin"))
  .find((folder) => existsSync(join(folder, "initdb")));

/** A real PostgreSQL with its own port and folder. */
export interface Postgres {
  readonly url: string;
  /** kill -9. */
  readonly kill: () => Promise<void>;
  readonly restart: () => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** Starts one; resolves when it accepts connections. */
export async function startPostgres(): Promise<Postgres> {
  const folder = mkdtempSync(join(temporaryHome(), "govdata-postgres-"));
  const port = await freePort();
  const user = unprivileged();
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const initdb = join(POSTGRES ?? "", "initdb");
  const made = spawnSync(initdb, ["-D", data, "-U", "govdata", "-A", "trust", "-E", "UTF8", "--no-sync"], {
    ...user,
    cwd: folder,
  });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  let server: ChildProcess | undefined;
  const start = async () => {
    const settings = ["-c", "fsync=off", "-c", `unix_socket_directories=${folder}`];
    const args = ["-D", data, "-p", String(port), "-h", "127.0.0.1", ...settings];
    server = spawn(join(POSTGRES ?? "", "postgres"), args, { ...user, cwd: folder, stdio: "ignore" });
    await listening(port);
  };
  const kill = async (signal: NodeJS.Signals = "SIGQUIT") => {
    if (server === undefined) return;
    const ended = once(server, "close");
    server.kill(signal);
    await ended;
    server = undefined;
  };
  await start();
  return {
    url: `postgres://govdata@127.0.0.1:${port}/postgres`,
    kill,
    restart: start,
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root; its package brings a user of its own. */
function unprivileged(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const line = readFileSync("/etc/passwd", "utf8").match(/^postgres:[^:]*:(\d+):(\d+):/m);
  if (line === null) throw new Error("there is no user postgres");
  return { uid: Number(line[1]), gid: Number(line[2]) };
}

async function listening(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const socket = createConnection({ port, host: "127.0.0.1" });
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("PostgreSQL did not start");
}
