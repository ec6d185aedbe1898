import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a whole process cost, its threads and children included. */
export interface ProcessCost {
  readonly wallS: number;
  readonly processorS: number;
  readonly peakMb: number;
  readonly stdout: string;
}

const TIME = "/usr/bin/time";
const STDERR_SHOWN = 2_000;

/** Runs a program to its end and measures it from outside. Throws where it does not end with 0. */
export async function runMeasured(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<ProcessCost> {
  if (!existsSync(TIME))
    throw new Error(`bench: ${TIME} is needed to measure processes (Debian: apt install time)`);
  const folder = mkdtempSync(join(tmpdir(), "govdata-bench-time-"));
  const report = join(folder, "report");
  try {
    const child = spawn(TIME, ["-f", "%e %U %S %M", "-o", report, process.execPath, ...args], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-STDERR_SHOWN);
    });
    const code = await new Promise<number | null>((done, fail) => {
      child.on("error", fail).on("close", done);
    });
    if (code !== 0) throw new Error(`bench: ${args.slice(0, 3).join(" ")} ended with ${code}\n${stderr}`);
    const [wallS = 0, userS = 0, systemS = 0, peakKb = 0] = lastLine(readFileSync(report, "utf8"))
      .split(" ")
      .map(Number);
    return { wallS, processorS: userS + systemS, peakMb: peakKb / 1024, stdout };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The last line of a text that holds something. */
export function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
