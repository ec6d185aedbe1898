import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** Where Debian puts servers, also for users whose PATH leaves it out. */
const FOLDERS = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];

/** The place of a program on this machine, if it is there. */
export function placeOf(program: string): string | undefined {
  return FOLDERS.map((folder) => `${folder}/${program}`).find((path) => existsSync(path));
}

/** A server in front that runs. */
export interface FrontServer {
  readonly address: string;
  readonly stop: () => Promise<void>;
}

/** Starts a server in front and waits until it takes connections on `port`. */
export async function startFrontServer(
  [program = "", ...args]: readonly string[],
  port: number,
): Promise<FrontServer> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  for (let tries = 0; !(await takesConnections(port)); tries += 1) {
    if (tries > 12_000 || hasEnded(child))
      throw new Error(`${program} did not start: ${said.slice(0, 3000)}`);
    await pause(25);
  }
  return {
    address: `http://127.0.0.1:${port}`,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
