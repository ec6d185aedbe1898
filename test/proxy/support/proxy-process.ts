import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { compileCopy } from "../../support/compiled-copy.ts";
import { runProxyCommand } from "../../support/run-in-process.ts";

const MAIN = join(import.meta.dirname, "../../../proxy/main.ts");

/** Where a proxy under test keeps its things; several processes may share it. */
export interface ProxyPlaces {
  readonly home: string;
  readonly snapshots: string;
  readonly optouts: string;
}

export type ProxyProcess = Awaited<ReturnType<typeof startProxyProcess>>;

const flagsOf = ({ home, snapshots, optouts }: ProxyPlaces) => [
  ...["--home", home, "--snapshots", snapshots, "--optouts", optouts],
];

/** Starts the program as it is, compiled, and waits until it listens. `log` is where its stderr goes: read by default. */
export async function startProxyProcess(
  places: ProxyPlaces,
  options: {
    readonly args?: readonly string[];
    readonly environment?: Readonly<Record<string, string>>;
    readonly log?: "pipe" | "unread" | number;
  } = {},
) {
  const { args = [], environment = {}, log = "pipe" } = options;
  const child = spawn(
    process.execPath,
    [compileCopy(MAIN), ...flagsOf(places), "serve", "--host", "127.0.0.1", "--port", "0", ...args],
    {
      stdio: ["ignore", "pipe", log === "unread" ? "pipe" : log],
      env: { PATH: process.env["PATH"], NO_COLOR: "1", ...environment },
    },
  );
  let said = "";
  if (log === "pipe") child.stderr?.on("data", (chunk) => (said += String(chunk)));
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once("error", reject);
    // Not "close": an unread pipe would hold that back.
    child.once(log === "pipe" ? "close" : "exit", (code, signal) => resolve(code ?? signal ?? 0));
  });
  if (child.stdout === null) throw new Error("the proxy has no output");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const addressIn = async (pattern: RegExp) => {
    const { value, done } = await lines.next();
    const match = pattern.exec(String(value))?.[1];
    if (done !== true && match !== undefined) return match;
    throw new Error(`the proxy did not start (${await ended}): ${said.slice(0, 2000)}`);
  };
  const address = await addressIn(/^listening on (http:\S+)$/);
  const hasAdmin = args.includes("--admin-port");
  return {
    process: child,
    address,
    /** The operator's listener, where one was asked for. */
    adminAddress: hasAdmin ? await addressIn(/^admin on (http:\S+)$/) : undefined,
    /** Everything it wrote to its log, where that is read. */
    log: () => said,
    /** Sends SIGTERM; how it ended. */
    stop: () => {
      child.kill("SIGTERM");
      return ended;
    },
  };
}

/** Makes an account with one key, and gives the key. */
export async function makeKey(places: ProxyPlaces, ...words: readonly string[]): Promise<string> {
  const made = await runProxyCommand([...flagsOf(places), "key", "create", ...words]);
  if (made.code !== 0) throw new Error(made.stderr);
  return made.stdout.trim();
}
