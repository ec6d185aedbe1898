import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A process of ours that is talked to in lines. */
export type Child = ReturnType<typeof startChild>;

/** Starts a compiled file under Node, or under another command that starts Node. */
export function startChild(words: readonly string[], before: readonly string[] = []) {
  const [command = process.execPath, ...args] = [...before, process.execPath, ...words];
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
  let complaint = "";
  child.stderr.on("data", (chunk) => {
    complaint += String(chunk);
  });
  // Writing to one that was killed is no failure of the test.
  child.stdin.on("error", () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? signal ?? 0));
  });
  return {
    process: child,
    /** How it ended: a code, or the signal. */
    ended,
    say: (line: string) => void child.stdin.write(`${line}\n`),
    /** Everything it wrote to stderr. */
    complaint: () => complaint,
    /** The next line it says; rejects when it ends before it says one. */
    async nextLine(): Promise<string> {
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`it ended (${await ended}): ${complaint.slice(0, 2000)}`);
      return value;
    },
  };
}
