import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { compileCopy } from "./compiled-copy.ts";

const ENTRIES = {
  govdata: fileURLToPath(new URL("../../pipeline/cli/main.ts", import.meta.url)),
  "govdata-proxy": fileURLToPath(new URL("../../proxy/main.ts", import.meta.url)),
};
export type Program = keyof typeof ENTRIES;

/** The exit code and output of a program. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts one of the two programs in another process, which a test may kill. */
export function startProgram(program: Program, args: readonly string[]) {
  // Settings of the developer's shell must not affect tests.
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(GOVDATA_|VITEST|NODE_OPTIONS)/.test(name),
  );
  const child = spawn(process.execPath, [compileCopy(ENTRIES[program]), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...Object.fromEntries(inherited), NO_COLOR: "1", GOVDATA_PROXY_DRAIN_SECONDS: "0" },
  });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    said.stdout += String(chunk);
  });
  child.stderr.on("data", (chunk) => {
    said.stderr += String(chunk);
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, ...said }));
  });
  return { child, said, ended };
}

/** Runs one of the two programs in another process to its end. */
export function runProgram(program: Program, args: readonly string[]): Promise<Ended> {
  return startProgram(program, args).ended;
}

/** A running proxy. */
export interface ProxyUnderTest {
  readonly baseUrl: string;
  /** Stops it with a signal and waits for its end. */
  stop(): Promise<Ended>;
}

/** Starts the proxy on a free port and waits until it listens. */
export async function startProxy(args: readonly string[]): Promise<ProxyUnderTest> {
  const { child, said, ended } = startProgram("govdata-proxy", [
    "serve",
    "--host",
    "127.0.0.1",
    "--port",
    "0",
    ...args,
  ]);
  const baseUrl = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", () => {
      const address = said.stdout.match(/^listening on (http:\S+)\n/)?.[1];
      if (address !== undefined) resolve(address);
    });
    ended.then((end) => reject(new Error(`the proxy ended: ${JSON.stringify(end)}`)), reject);
  });
  return {
    baseUrl,
    stop() {
      child.kill("SIGTERM");
      return ended;
    },
  };
}
